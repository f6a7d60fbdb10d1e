#!/usr/bin/env bash
# Runs a command on a real Kubernetes: etcd, API server, controller manager and scheduler, and nodes with kubelet, kube-proxy,
# containerd, runc, the bridge network plugin and a cluster DNS. All are processes of this machine in namespaces of their own, and end with
# the command. There is no container engine, registry or virtual machine, nothing is installed, and nothing stays behind.
#
#   lab.sh [-a | -n NODES] [-i IMAGE.tar]... 'COMMAND'
#   lab.sh -b
#
# Its exit status is that of the command. It is 77 if a program that this needs is missing, and 125 if the cluster does not come up. The command has
# kubectl, helm, and programs of Prometheus on its PATH, KUBECONFIG set, and reaches pods and services at their addresses. `on node1 COMMAND`
# runs a command on a node, such as `on node1 ctr images list`.
#
#   -b           builds what the lab runs, and ends
#   -a           starts the API server alone, which checks what is applied and runs nothing
#   -n NODES     the number of nodes, node1 and so on, each in its own network; defaults to 1
#   -i FILE      imports an OCI archive, as app/image writes it, at every node
#
#   K8S_LAB_CACHE     the folder of the programs; build.sh makes them the first time
#   K8S_LAB_LOGS      the folder to which the cluster's logs are copied
#   K8S_LAB_RESOURCE  a resource of every node, such as rdma/hca_shared; K8S_LAB_SHARES is its amount and defaults to 2, and
#                     K8S_LAB_DEVICES are its devices and default to /dev/fuse
#   K8S_LAB_NETWORK   "host" leaves nodes in the machine's own network, where an RDMA device in software is. Pods use that, too (hostNetwork), and
#                     each node has an address; there is no kube-proxy, so no services. For a virtual machine that runs nothing else
#   K8S_LAB_PATIENCE  the factor of all time limits; defaults to 1
set -euo pipefail
here=$(dirname "$(realpath "$0")")
packages="gcc libc6-dev dpkg-dev npm unzip procps iproute2 iptables conntrack dnsmasq-base openssl curl jq"
export K8S_LAB_CACHE=${K8S_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/atoll/k8s-lab}
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }

nodes=1
build_only=false
images=()
while getopts abi:n: option; do
    case $option in
        b) build_only=true ;;
        a) nodes=0 ;;
        i) images+=("$(realpath "$OPTARG")") ;;
        n) nodes=$OPTARG ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
$build_only || [ $# -eq 1 ] || usage
[ "$(id -u)" -eq 0 ] || { echo "lab: skipped, since only root can make namespaces of all kinds" >&2; exit 77; }
for program in gcc dpkg-source npm unzip sysctl ip iptables conntrack dnsmasq openssl curl jq unshare nsenter; do
    if ! command -v "$program" >/dev/null; then
        echo "lab: skipped, since $program is missing; install: apt-get install $packages" >&2
        exit 77
    fi
done
"$here/build.sh"
! $build_only || exit 0
if [ "$nodes" -gt 0 ] && [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then
    echo "lab: skipped, since the kubelet needs control groups of version 1" >&2
    exit 77
fi

state=$(mktemp -d)
cleanup() {
    if [ -n "${K8S_LAB_LOGS:-}" ]; then
        mkdir -p "$K8S_LAB_LOGS"
        cp -r "$state"/log/. "$K8S_LAB_LOGS/" || true
    fi
    # Processes that were killed leave them a moment later.
    for _ in 1 2 3 4 5; do
        find /sys/fs/cgroup -depth -type d -path "*/$cgroup*" -exec rmdir {} + 2>/dev/null || true
        [ -n "$(find /sys/fs/cgroup -maxdepth 2 -name "$cgroup")" ] || break
        sleep 0.5
    done
    [ -z "$(find /sys/fs/cgroup -maxdepth 2 -name "$cgroup")" ] || echo "lab: these control groups are left: $cgroup" >&2
    rmdir /var/lib/kubelet /var/lib/cni /var/log/pods /var/log/containers /etc/cni 2>/dev/null || true
    rm -rf "$state"
}
inside= # the first process of the cluster's namespaces, with which all others end
trap '[ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true; wait; cleanup' EXIT
trap 'exit 143' TERM INT HUP
cgroup=k8s-lab-$$-
mkdir "$state/log"
status=0
network=(--net)
[ "${K8S_LAB_NETWORK:-}" != host ] || network=()
unshare --mount ${network[@]+"${network[@]}"} --pid --ipc --uts --fork --kill-child --mount-proc \
    env LAB_STATE="$state" LAB_CGROUP="$cgroup" LAB_NODES="$nodes" LAB_NETWORK="${K8S_LAB_NETWORK:-}" \
    bash "$here/cluster.sh" "$1" ${images[@]+"${images[@]}"} <&0 &
inside=$!
wait "$inside" || status=$?
inside=
exit "$status"
