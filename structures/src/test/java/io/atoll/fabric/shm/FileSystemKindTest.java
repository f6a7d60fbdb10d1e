package io.atoll.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which file systems other hosts may have, too. */
class FileSystemKindTest {

    @Test
    void sharedMemoryIsOfOneHost() throws Exception {
        assertThat(FileSystemKind.of(Path.of("/dev/shm")).isOfOneHost()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "lustre", "gpfs", "fuse.sshfs",
        "fuse.glusterfs", "gfs2", "ocfs2", "afs", "one that comes later"})
    void networkFileSystemsAndThoseThatNobodyKnowsAreNot(String name) {
        assertThat(new FileSystemKind(name).isOfOneHost()).isFalse();
    }
}
