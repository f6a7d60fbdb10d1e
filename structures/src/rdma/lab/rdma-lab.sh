#!/usr/bin/env bash
# Runs a command on a machine that has an RDMA device: Debian's kernel with its Soft-RoCE driver (rdma_rxe), booted in
# qemu. The device is one in software, everything above it is what RDMA hardware has, too. Needs neither hardware, nor KVM, nor
# privileges beyond those of root in a container.
#
#   rdma-lab.sh 'COMMAND'     exits with the command's status, 77 if a program that this needs is missing, 124 at the timeout
#
# Inside: the host's file system beneath a layer in memory, so that what is written there is gone afterwards; the device rxe0
# on one end of a veth pair (10.9.1.1); no limit of locked memory; two processors. The command runs in the current folder.
# RDMA_LAB_MEMORY_MB (4096), RDMA_LAB_TIMEOUT_SECONDS (2700) and RDMA_LAB_CACHE, where the kernel is kept, may be set.
set -euo pipefail

packages="qemu-system-x86 busybox-static cpio kmod iproute2 libibverbs1 ibverbs-providers librdmacm1"
for program in qemu-system-x86_64 busybox cpio depmod ip rdma apt-get dpkg-deb; do
    if ! command -v "$program" >/dev/null; then
        echo "rdma-lab: skipped, since $program is missing; install: apt-get install $packages" >&2
        exit 77
    fi
done
[ $# -eq 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }

here=$(pwd)
cache=${RDMA_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/atoll/rdma-lab}
work=$(mktemp -d)
machine=
trap '[ -z "$machine" ] || kill "$machine" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP

# The kernel, unpacked into the cache rather than installed. Under its final name only when it is whole.
package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-[0-9]/ {print $2; exit}')
[ -n "$package" ] || { echo "rdma-lab: no kernel package is known; run: apt-get update" >&2; exit 1; }
release=${package#linux-image-}
if [ ! -d "$cache/$release" ]; then
    mkdir -p "$work/download" "$work/kernel" "$cache"
    if ! (cd "$work/download" && apt-get -qq -o APT::Sandbox::User=root download "$package"); then
        echo "rdma-lab: the kernel cannot be downloaded; is the network there, and the list of packages new (apt-get update)? package=$package" >&2
        exit 1
    fi
    dpkg-deb -x "$work"/download/*.deb "$work/kernel"
    depmod -b "$work/kernel" "$release"
    mv -T "$work/kernel" "$cache/$release" 2>/dev/null || [ -d "$cache/$release" ]
fi

# The first file system: busybox, the modules in the order in which they load, and an init that goes on in the host's tree.
mkdir -p "$work"/root/{bin,modules,proc,sys,dev,host,new} "$work/lab"
cp "$(command -v busybox)" "$work/root/bin/"
for module in crc32_generic crc32_pclmul virtio_pci 9pnet_virtio 9p overlay veth ib_uverbs rdma_ucm rdma_rxe; do
    modprobe -d "$cache/$release" -S "$release" --show-depends "$module" | awk '/^insmod/ {print $2}'
done | awk '!seen[$0]++' >"$work/modules"
while read -r file; do cp "$file" "$work/root/modules/"; done <"$work/modules"
xargs -n1 basename <"$work/modules" >"$work/root/modules/order"
printf '%s\n' "$1" >"$work/lab/command"
cat >"$work/root/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in \$(cat /modules/order); do insmod /modules/\$module; done
share=trans=virtio,version=9p2000.L,msize=262144
mount -t 9p -o \$share,ro,cache=loose host /host
mount -t tmpfs tmpfs /new
mkdir -p /new/upper /new/work /new/root
mount -t overlay overlay -o lowerdir=/host,upperdir=/new/upper,workdir=/new/work /new/root
cd /new/root
mount -t proc proc proc
mount -t sysfs sys sys
mount --bind /dev dev
mkdir -p dev/shm lab
mount -t tmpfs shm dev/shm
mount -t tmpfs run run
mount -t 9p -o \$share lab lab
chroot . /bin/bash -c '
    ulimit -l unlimited
    ip link set lo up
    ip link add lab0 type veth peer name lab1
    ip link set lab0 up
    ip link set lab1 up
    ip addr add 10.9.1.1/24 dev lab0
    rdma link add rxe0 type rxe netdev lab0
    # A processor that is emulated may see half of an instruction while another one replaces it, as the JVM does whenever it exchanges what it
    # has compiled for something better: so every JVM here compiles once. One that crashes says why on the console.
    export JDK_JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:ErrorFile=/dev/console"
    cd "$here"
    echo "== rdma lab: \$(uname -r), \$(rdma link | tr -s " ")"
    bash /lab/command
    echo \$? >/lab/status'
sync
poweroff -f
INIT
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"

# Soft-RoCE copies by memcpy; without "fast strings" the kernel copies words, which the emulator moves whole, as processors do.
# Returns with the machine's console on descriptor 3 as soon as the command begins. An emulated kernel on a busy host now and then does
# not get that far.
boot() {
    exec 3< <(exec timeout "${RDMA_LAB_TIMEOUT_SECONDS:-2700}" qemu-system-x86_64 \
        -accel tcg,thread=multi -cpu max,-erms -m "${RDMA_LAB_MEMORY_MB:-4096}" -smp 2 \
        -nographic -no-reboot -nic none \
        -kernel "$cache/$release/boot/vmlinuz-$release" -initrd "$work/initrd" \
        -append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off" \
        -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
        -virtfs "local,path=$work/lab,mount_tag=lab,security_model=none" </dev/null 2>&1)
    machine=$!
    : >"$work/console"
    while IFS= read -r -t 120 -u 3 line; do
        printf '%s\n' "$line" >>"$work/console"
        case $line in *"== rdma lab:"*) return 0 ;; esac
    done
    kill "$machine" 2>/dev/null || true
    wait "$machine" || true
    machine=
    return 1
}

booted=false
for attempt in 1 2 3; do
    if boot; then
        booted=true
        break
    fi
    echo "rdma-lab: the machine did not boot: attempt=$attempt" >&2
done
if $booted; then
    sed -n 's/.*\(== rdma lab:\)/\1/p' "$work/console" | tr -d '\r'
    sed -u 's/\r//g' <&3 | tee -a "$work/console" | sed -u '/reboot: Power down/d'
    wait "$machine" || true
    machine=
fi
if [ ! -e "$work/lab/status" ]; then
    echo "rdma-lab: the command did not end; the last lines of the machine's console:" >&2
    tail -n 20 "$work/console" >&2
    exit 124
fi
exit "$(cat "$work/lab/status")"
