#!/usr/bin/env bash
# Runs a node: containerd, kubelet and kube-proxy, in mount, network, IPC and UTS namespaces of its own, which cluster.sh has made.
#
#   node.sh NUMBER [IMAGE.tar]...
set -euo pipefail
here=$(dirname "$(realpath "$0")")
number=$1
shift
node=node$number
address=172.30.0.1$number
state=$LAB_STATE/$node
cgroup=$LAB_CGROUP/$node
source "$here/processes"
mkdir -p "$state"/{containerd,cni,kubelet}

# What these programs write to fixed places is in memory, and this node's only.
for folder in /run /var/lib/kubelet /var/lib/cni /var/log/pods /var/log/containers /etc/cni; do
    mkdir -p $folder
    mount -t tmpfs tmpfs $folder
done
mount --make-rshared /var/lib/kubelet
mount -t tmpfs -o size=50% shm /dev/shm
for folder in /sys/fs/cgroup/*/; do
    [ "$folder" = /sys/fs/cgroup/unified/ ] || mkdir -p "$folder$cgroup"
done
# All pods together; else they are worth one process of the control plane.
echo 8192 >"/sys/fs/cgroup/cpu/$LAB_CGROUP/cpu.shares"
for file in cpus mems; do
    for folder in "$LAB_CGROUP" "$cgroup"; do
        cat "/sys/fs/cgroup/cpuset/cpuset.$file" >"/sys/fs/cgroup/cpuset/$folder/cpuset.$file"
    done
done

hostname $node
if [ "$LAB_NETWORK" = host ]; then
    ip addr add $address/32 dev lo
else
    ip link set lo up
    await 30 "network of $node" ip link show eth0
    ip addr add $address/24 dev eth0
    ip link set eth0 up
    ip route add default via "$LAB_ADDRESS"
    sysctl -qw net.ipv4.ip_forward=1
    # Of kernels that have it as a module it is there with the first bridge; a node alone needs it to lead pods to one beside them.
    sysctl -qw net.bridge.bridge-nf-call-iptables=1 2>/dev/null || true
fi

cat >"$state/cni/10-bridge.conflist" <<JSON
{"cniVersion":"0.4.0","name":"pods","plugins":[{"type":"bridge","bridge":"cni0","isGateway":true,"hairpinMode":true,
 "ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.$number.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":"/run/cni"}}]}
JSON
cat >"$state/containerd.toml" <<TOML
version = 2
root = "$state/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$state/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/lab/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$K8S_LAB_CACHE/root/usr/lib/cni"
    conf_dir = "$state/cni"
TOML
start $node-containerd containerd --config "$state/containerd.toml"
export CONTAINERD_ADDRESS=/run/containerd/containerd.sock CONTAINERD_NAMESPACE=k8s.io
await 30 "containerd of $node" ctr version
ctr images import "$K8S_LAB_CACHE/pause.tar" >/dev/null

cat >"$state/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$cgroup
clusterDNS: [$LAB_ADDRESS]
clusterDomain: cluster.local
failSwapOn: false
protectKernelDefaults: true
resolvConf: ""
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
volumePluginDir: $state/kubelet
# Nodes may share a network, and up to 10259 ports are those of other programs.
port: $((10300 + number))
healthzPort: 0
makeIPTablesUtilChains: $([ "$LAB_NETWORK" = host ] && echo false || echo true)
YAML
start $node-kubelet kubelet --config="$state/kubelet.yaml" --kubeconfig="$LAB_STATE/pki/$node.kubeconfig" --hostname-override=$node \
    --node-ip=$address --container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock \
    --cert-dir="$state/kubelet" --root-dir=/var/lib/kubelet
[ "$LAB_NETWORK" = host ] || start $node-proxy kube-proxy --kubeconfig="$LAB_STATE/pki/proxy.kubeconfig" --hostname-override=$node --proxy-mode=iptables \
    --cluster-cidr=10.244.0.0/16 --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
for image in "$@"; do ctr images import "$image" >/dev/null; done
touch "$state/imported"
if [ -n "${K8S_LAB_RESOURCE:-}" ]; then
    # The kubelet empties the folder of plugins when it starts.
    await 60 "kubelet of $node" test -S /var/lib/kubelet/device-plugins/kubelet.sock
    start $node-device-plugin device-plugin -resource "$K8S_LAB_RESOURCE" -shares "${K8S_LAB_SHARES:-2}" \
        -nodes "${K8S_LAB_DEVICES:-/dev/fuse}"
fi
wait
