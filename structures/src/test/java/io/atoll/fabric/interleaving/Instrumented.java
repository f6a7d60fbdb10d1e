package io.atoll.fabric.interleaving;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of a package anew, and changes some: so that an {@link Interleaving} decides when their threads go
 * on, or so that an error strikes them, see {@link Strike}. The source stays as it is.
 */
public final class Instrumented extends ClassLoader {

    private static final ClassDesc INTERLEAVING = ClassDesc.of(Interleaving.class.getName());
    private static final ClassDesc STRIKE = ClassDesc.of(Strike.class.getName());
    private static final MethodTypeDesc STEP = MethodTypeDesc.of(CD_void);
    private static final ClassDesc LOCK = ClassDesc.of("java.util.concurrent.locks.ReentrantLock");
    private static final ClassDesc THREAD = ClassDesc.of("java.lang.Thread");
    private static final ClassDesc OBJECT = ClassDesc.of("java.lang.Object");
    private static final ClassDesc BACKGROUND = ClassDesc.of("io.atoll.background.BackgroundThread");

    /** What is called instead, by what is called. */
    private static final Map<String, MethodTypeDesc> REPLACED = Map.of(
            "io/atoll/memory/StackSafeLock.lock", MethodTypeDesc.of(CD_void, LOCK),
            "io/atoll/memory/StackSafeLock.unlock", MethodTypeDesc.of(CD_void, LOCK),
            "io/atoll/memory/StackSafeLock.tryLock", MethodTypeDesc.of(CD_boolean, LOCK),
            "java/util/concurrent/locks/LockSupport.parkNanos", MethodTypeDesc.of(CD_void, OBJECT, CD_long),
            "java/util/concurrent/locks/LockSupport.unpark", MethodTypeDesc.of(CD_void, THREAD),
            "java/lang/Thread.isVirtual", MethodTypeDesc.of(CD_boolean, THREAD),
            "java/lang/Thread.yield", MethodTypeDesc.of(CD_void),
            "java/lang/System.nanoTime", MethodTypeDesc.of(CD_long),
            "io/atoll/background/BackgroundThread.wake", MethodTypeDesc.of(CD_void, BACKGROUND));

    /** Others see what these do. */
    private static final Set<String> SEEN = Set.of(
            "java/util/concurrent/atomic/AtomicIntegerFieldUpdater.compareAndSet",
            "java/util/concurrent/atomic/AtomicBoolean.compareAndSet", "java/util/Queue.add", "java/util/Queue.poll");

    private final String folder;
    private final Set<String> changed;
    private final Mutation mutation;
    private final boolean switches;

    /** A fault that is built in. */
    @FunctionalInterface
    public interface Mutation {

        Mutation NONE = (_, _) -> null;

        /** Returns how a method is changed, or null. */
        @Nullable CodeTransform of(String className, MethodModel method);
    }

    /**
     * @param packageName whose classes are loaded anew
     * @param changed the simple names of those whose threads are switched
     */
    public Instrumented(String packageName, Set<String> changed, Mutation mutation) {
        this(packageName, changed, mutation, true);
    }

    private Instrumented(String packageName, Set<String> changed, Mutation mutation, boolean switches) {
        super(Instrumented.class.getClassLoader());
        this.folder = packageName.replace('.', '/') + "/";
        this.changed = changed;
        this.mutation = mutation;
        this.switches = switches;
    }

    /**
     * Loads classes whose threads run as ever, but for the strikes that they meet.
     *
     * @param packageName whose classes are loaded anew
     * @param struck the simple names of those in which an error may strike
     */
    public static Instrumented struck(String packageName, Set<String> struck) {
        return new Instrumented(packageName, struck, (_, _) -> new Striking(), false);
    }

    /** An error may strike where a method begins, and where it calls another or makes an object. */
    private static final class Striking implements CodeTransform {

        @Override
        public void atStart(CodeBuilder builder) {
            builder.invokestatic(STRIKE, "step", STEP);
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof InvokeInstruction || element instanceof NewObjectInstruction) {
                builder.invokestatic(STRIKE, "step", STEP);
            }
            builder.with(element);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            String path = name.replace('.', '/');
            if (!path.startsWith(folder) || path.indexOf('/', folder.length()) >= 0) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name, path) : loaded;
        }
    }

    private Class<?> define(String name, String path) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(path + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            String simple = path.substring(folder.length());
            byte[] code = changed.contains(simple) ? change(simple, bytes) : bytes;
            return defineClass(name, code, 0, code.length);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private byte[] change(String name, byte[] bytes) {
        ClassFile format = ClassFile
                .of(ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(getParent())));
        ClassModel model = format.parse(bytes);
        Set<String> volatiles = model.fields()
                .stream()
                .filter(field -> field.flags().has(AccessFlag.VOLATILE))
                .map(FieldModel::fieldName)
                .map(Object::toString)
                .collect(Collectors.toSet());
        return format.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                CodeTransform mutated = mutation.of(name, method);
                CodeTransform switched = switches ? switching(volatiles) : CodeTransform.ACCEPT_ALL;
                builder.transformMethod(method,
                        MethodTransform.transformingCode(mutated == null ? switched : mutated.andThen(switched)));
            } else {
                builder.with(element);
            }
        });
    }

    private static CodeTransform switching(Set<String> volatiles) {
        return new CodeTransform() {

            @Override
            public void atStart(CodeBuilder builder) {
                step(builder);
            }

            @Override
            public void accept(CodeBuilder builder, CodeElement element) {
                switch (element) {
                    case FieldInstruction access when volatiles.contains(access.name().stringValue()) -> {
                        step(builder);
                        builder.with(access);
                    }
                    case InvokeInstruction call -> replace(builder, call);
                    default -> builder.with(element);
                }
            }
        };
    }

    private static void replace(CodeBuilder builder, InvokeInstruction call) {
        String called = call.owner().asInternalName() + "." + call.name().stringValue();
        MethodTypeDesc instead = REPLACED.get(called);
        if (instead != null) {
            builder.invokestatic(INTERLEAVING, call.name().stringValue(), instead);
        } else {
            if (SEEN.contains(called)) {
                step(builder);
            }
            builder.with(call);
        }
    }

    private static void step(CodeBuilder builder) {
        builder.invokestatic(INTERLEAVING, "step", STEP);
    }

    /** Runs a scenario, which is a class of the package. */
    public Interleaving.Scenario scenario(String name) throws ReflectiveOperationException {
        return create(Interleaving.Scenario.class, name);
    }

    /** Returns an object of a class of the package. */
    public <T> T create(Class<T> type, String name) throws ReflectiveOperationException {
        Constructor<?> constructor = loadClass(name).getDeclaredConstructor();
        constructor.setAccessible(true);
        return type.cast(constructor.newInstance());
    }
}
