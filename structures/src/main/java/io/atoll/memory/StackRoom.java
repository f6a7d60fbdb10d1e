package io.atoll.memory;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Room on the calling thread's stack. An operation asks for it before it reserves a word or pins an epoch. So a
 * {@link StackOverflowError} comes before the reservation, and never between it and its undoing.
 *
 * <p>It asks by calling a method whose frame has that many bytes of local variables. An interpreter ensures that a
 * whole frame fits when the method begins. So does HotSpot's compiled code, since it may have to go on in the
 * interpreter at any time. It does so without a call: by one store for each page. No Java source has that many
 * variables, so the class is made here.
 */
public abstract class StackRoom {

    /**
     * The most bytes that the library's own frames of one operation take in the interpreter. The innermost frame may
     * throw an exception. A check makes six stores: pages share a set of the first-level cache, which has eight ways on
     * many processors. With 32 KiB, a lock in the own segment takes 15 ns more there.
     */
    static final int BYTES = 24 << 10;

    /**
     * The bytes of the frames that release what an operation has taken. It is two pages less: compiled code looks at
     * whole pages, and may find up to one that is not there.
     */
    static final int RELEASE_BYTES = 16 << 10;

    /**
     * The bytes of the frames that acquire and release a lock of this process, or that use a connection. A caller that
     * has required room for a release has this much there, too.
     */
    static final int LOCK_BYTES = 8 << 10;

    private static final StackRoom ROOM = make(BYTES);
    private static final StackRoom RELEASE_ROOM = make(RELEASE_BYTES);
    private static final StackRoom LOCK_ROOM = make(LOCK_BYTES);

    // Not final: the compiler would drop code that a constant makes unreachable, and the frame with it.
    private static boolean wanted;

    /** @throws StackOverflowError if there is too little */
    public static void require() {
        ROOM.take(wanted);
    }

    /**
     * As {@link #require}, for code that undoes an operation which required room in the same method, or further out. So
     * there is room here if there was room there.
     *
     * @throws StackOverflowError if there is too little
     */
    public static void requireToRelease() {
        RELEASE_ROOM.take(wanted);
    }

    /**
     * As {@link #require}, for two kinds of callers. {@link StackSafeLock} calls it before it acquires a lock of this
     * process; nothing else acquires one. Others call it before they write to a connection or read from one. A channel
     * has locks of its own. Releasing one might find no room.
     *
     * @throws StackOverflowError if there is too little
     */
    public static void requireToLock() {
        LOCK_ROOM.take(wanted);
    }

    /** Uses the last of its variables if {@code last} is true, which it never is. */
    abstract void take(boolean last);

    private static StackRoom make(int bytes) {
        ClassDesc parent = ClassDesc.of(StackRoom.class.getName());
        byte[] made = ClassFile.of()
                .build(ClassDesc.of(StackRoom.class.getName() + "Frame"), type -> type.withSuperclass(parent)
                        .withMethodBody("<init>", MethodTypeDesc.of(CD_void), 0,
                                code -> code.aload(0)
                                        .invokespecial(parent, "<init>", MethodTypeDesc.of(CD_void))
                                        .return_())
                        .withMethodBody("take", MethodTypeDesc.of(CD_void, CD_boolean), ClassFile.ACC_FINAL,
                                code -> writeTake(code, bytes)));
        try {
            var lookup = MethodHandles.lookup().defineHiddenClass(made, true);
            return (StackRoom) lookup.findConstructor(lookup.lookupClass(),
                    MethodType.methodType(void.class)).invoke();
        } catch (Throwable impossible) {
            throw new AssertionError("cannot define " + StackRoom.class + "Frame", impossible);
        }
    }

    private static void writeTake(CodeBuilder code, int bytes) {
        int variable = bytes / Long.BYTES - 2;
        Label end = code.newLabel();
        code.iload(1)
                .ifeq(end)
                .lconst_0()
                .lstore(variable)
                .lload(variable)
                .l2i()
                .newarray(TypeKind.BYTE)
                .pop()
                .labelBinding(end)
                .return_();
    }
}
