#!/usr/bin/env bash
# Packs layers into an OCI archive. The same layers give the same bytes.
#
#   archive.sh NAME:TAG CONFIG FILE LAYER.tar...        CONFIG is the "config" of the image, as JSON
set -euo pipefail
[ $# -ge 4 ] || { echo "usage: archive.sh NAME:TAG CONFIG FILE LAYER.tar..." >&2; exit 2; }
name=$1
config=$2
file=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
blobs=$work/archive/blobs/sha256
mkdir -p "$blobs"
digest() { sha256sum <"$1" | cut -d' ' -f1; }
joined() { local IFS=,; echo "$*"; }
descriptor() { # TYPE FILE: keeps the file under its digest, and describes it
    local digest size
    digest=$(digest "$2")
    size=$(stat -c %s "$2")
    mv "$2" "$blobs/$digest"
    echo "\"mediaType\":\"application/vnd.oci.image.$1\",\"digest\":\"sha256:$digest\",\"size\":$size"
}

contents=()
layers=()
for layer in "$@"; do
    contents+=("\"sha256:$(digest "$layer")\"")
    gzip -n -1 <"$layer" >"$work/blob"
    layers+=("{$(descriptor layer.v1.tar+gzip "$work/blob")}")
done
cat >"$work/config" <<JSON
{"architecture":"$(dpkg --print-architecture)","os":"linux","config":$config,
 "rootfs":{"type":"layers","diff_ids":[$(joined "${contents[@]}")]}}
JSON
cat >"$work/manifest" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
 "config":{$(descriptor config.v1+json "$work/config")},"layers":[$(joined "${layers[@]}")]}
JSON
cat >"$work/index" <<JSON
{"schemaVersion":2,"manifests":[{$(descriptor manifest.v1+json "$work/manifest"),
 "annotations":{"io.containerd.image.name":"docker.io/$name","org.opencontainers.image.ref.name":"${name##*:}"}}]}
JSON
mv "$work/index" "$work/archive/index.json"
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/archive/oci-layout"
tar -C "$work/archive" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$file" .
