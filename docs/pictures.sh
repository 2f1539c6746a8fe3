#!/usr/bin/env bash
# Draws docs/picture.png: the head of a real report, and its columns beside the true ones. With a directory as argument it
# also writes screenshots of both pages there: 1280 and 390 pixels wide, light, dark, and printed. Needs Chromium.
#
#	docs/pictures.sh [DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
command -v chromium >/dev/null || { echo "pictures left out: there is no chromium"; exit 0; }
dapple=$PWD/bin/dapple
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go run ./examples/visits -people 20000 -seed 1 -out "$work/visits.csv"
cat >"$work/about.yaml" <<'ABOUT'
name: Visits to a clinic, 2024
unit: patient
ABOUT
(cd "$work" && "$dapple" synth visits.csv --privacy_id=person_id --epsilon=1 --delta=1e-9 --output=out --about=about.yaml --quiet >/dev/null &&
	"$dapple" evaluate out.release/_domain.yaml visits.csv out --html=compared.html --quiet >/dev/null)

# shot PAGE PICTURE WIDTH HEIGHT [FLAG…]
shot() {
	local page=$1 picture=$2 width=$3 height=$4
	shift 4
	chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/chromium" \
		--window-size="$width,$height" "$@" --screenshot="$picture" "file://$page" >/dev/null 2>&1
}

cat >"$work/both.html" <<'HTML'
<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #dfe5ea; display: flex; gap: 16px; padding: 16px }
div { width: 616px; height: 600px; overflow: hidden; border-radius: 8px; background: #fff; box-shadow: 0 1px 6px #0003 }
iframe { border: 0; width: 1027px; height: 2200px; transform: scale(.6); transform-origin: 0 0 }
.second iframe { margin-top: calc(-.6 * var(--skip)) }
</style><div><iframe src="out.release/_report.html"></iframe></div><div class="second" style="--skip: 0px"><iframe src="compared.html#columns"></iframe></div>
HTML
shot "$work/both.html" "$PWD/docs/picture.png" 1280 632
echo "docs/picture.png: $(($(stat -c %s docs/picture.png) / 1000)) kB"
[ $# -gt 0 ] || exit 0

mkdir -p "$1"
out=$(cd "$1" && pwd)
for page in report compared; do
	file=$work/compared.html
	[ $page = report ] && file=$work/out.release/_report.html
	echo "<!doctype html><body style='margin:0'><iframe style='border:0;width:390px;height:6000px' src='file://$file'></iframe>" >"$work/narrow.html"
	for look in light dark; do
		flags=()
		[ $look = dark ] && flags=(--blink-settings=preferredColorScheme=0)
		shot "$file" "$out/$page-1280-$look.png" 1280 4200 "${flags[@]}"
		shot "$work/narrow.html" "$out/$page-390-$look.png" 500 6000 "${flags[@]}"
	done
	chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --no-pdf-header-footer \
		--print-to-pdf="$out/$page-print.pdf" "file://$file" >/dev/null 2>&1
	command -v pdftoppm >/dev/null && pdftoppm -r 60 -png "$out/$page-print.pdf" "$out/$page-print" || true
done
ls "$out"
