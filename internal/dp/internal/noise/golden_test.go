package noise

// goldenWords are the first words of testStream(t, "golden").
var goldenWords = [4]uint64{0x11a4066ca599ecdb, 0x7f3ee06c76dd9650, 0x0a0f30f3ce972cd0, 0x3abba6738c86c734}

// goldenWordMillion is word 10⁶ of the same stream, counted from 0.
const goldenWordMillion = 0xfef62f1dceb59b16

// goldenSamplers are the first values of Below(1000), BernExp(2/3), Laplace(100/3), Gaussian(10001/4),
// Gaussian(2^60), Selector and Sign from testStream(t, "samplers"). A change here changes the noise
// of every replay.
const goldenSamplers = `234 true -1 -7 1601793499 3 1
440 true 80 30 -852353036 1 1
484 true 65 37 -904318059 1 1
479 true 8 26 1278395452 1 -1
600 true -3 11 -774060190 1 1
215 true 8 38 53922783 1 -1
`
