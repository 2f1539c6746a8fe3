"""Computes the golden words of golden_test.go with Python's hmac and the openssl command."""

import hashlib
import hmac
import struct
import subprocess


def sha(b):
    return hashlib.sha256(b).digest()


def entry(kind, length):
    return struct.pack(">BQ", kind, length)


seed = bytes(range(1, 33))
root = hmac.digest(seed, b"dapple/v1" + sha(b"config") + sha(b"statistics"), "sha256")
inputs = sha(entry(2, 1) + struct.pack(">q", 7))
stage = b"golden"
info = struct.pack(">Q", len(stage)) + stage + struct.pack(">Q", 3) + inputs
key = hmac.digest(root, info + b"\x01", "sha256")  # HKDF-Expand, one block
stream = subprocess.run(
    ["openssl", "enc", "-aes-256-ctr", "-K", key.hex(), "-iv", "00" * 16],
    input=bytes(8 * 1_000_001), stdout=subprocess.PIPE, check=True).stdout
words = struct.unpack("<1000001Q", stream)
print([hex(w) for w in words[:4]], hex(words[1_000_000]))
