package io.atoll.disni;

import com.ibm.disni.util.DiSNILogger;
import com.ibm.disni.verbs.RdmaProvider;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Takes over the two places where DiSNI insists on its native library. */
final class DisniSeams {

    private static final ClassDesc NATIVE_AFFINITY = ClassDesc.of("com.ibm.disni.util.NativeAffinity");
    private static final ClassDesc THREAD_AFFINITY = ThreadAffinity.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc SET = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long);
    private static final MethodTypeDesc GET = MethodTypeDesc.of(ConstantDescs.CD_long);

    private DisniSeams() {}

    /**
     * Sets the provider of DiSNI's factory. The factory makes its own provider if its field is null, and has no setter.
     */
    static void setProvider(RdmaProvider provider) {
        synchronized (RdmaProvider.class) { // as the factory does
            VarHandle field = providerField();
            Object present = field.get();
            if (present != null) {
                throw new IllegalStateException(
                        "DiSNI has a provider already: provider=" + present.getClass().getName());
            }
            field.set(provider);
        }
    }

    private static VarHandle providerField() {
        try {
            return MethodHandles.privateLookupIn(RdmaProvider.class, MethodHandles.lookup())
                    .findStaticVarHandle(RdmaProvider.class, "provider", RdmaProvider.class);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(
                    "not the DiSNI that this was made for: class=" + RdmaProvider.class.getName(),
                    failure);
        }
    }

    /**
     * Defines the class with which DiSNI's completion threads begin. The initializer of DiSNI's own class always loads
     * the native library. DiSNI's class loader keeps the first class of this name that is defined, so the threads find
     * this one.
     */
    static void defineNativeAffinity() {
        try {
            MethodHandles.privateLookupIn(DiSNILogger.class, MethodHandles.lookup()).defineClass(nativeAffinity());
        } catch (LinkageError | IllegalAccessException failure) {
            throw new IllegalStateException(
                    "DiSNI was in use before this provider was installed: class=" + NATIVE_AFFINITY.displayName(),
                    failure);
        }
    }

    private static byte[] nativeAffinity() {
        return ClassFile.of()
                .build(NATIVE_AFFINITY, type -> type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                        .withMethodBody("setAffinity", SET, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                code -> code.lload(0).invokestatic(THREAD_AFFINITY, "set", SET).return_())
                        .withMethodBody("getAffinity", GET, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                code -> code.invokestatic(THREAD_AFFINITY, "get", GET).lreturn()));
    }
}
