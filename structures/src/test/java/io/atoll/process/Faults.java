package io.atoll.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;

/** Faults that are built into compiled classes, so that a test is seen to find them. */
public final class Faults {

    /** Changes a call. */
    @FunctionalInterface
    public interface Change {
        void to(CodeBuilder code, InvokeInstruction call);
    }

    private Faults() {}

    /** Changes the calls of methods of that name. */
    public static CodeTransform calls(String called, Change change) {
        return (code, element) -> {
            if (element instanceof InvokeInstruction call && call.name().equalsString(called)) {
                change.to(code, call);
            } else {
                code.with(element);
            }
        };
    }

    /** Another body. */
    public static CodeTransform body(Consumer<CodeBuilder> body) {
        return new CodeTransform() {
            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                // Dropped.
            }

            @Override
            public void atEnd(CodeBuilder code) {
                body.accept(code);
            }
        };
    }

    /**
     * Writes a class whose methods of that name have the fault, for a process that takes it instead of the right one,
     * see {@link ChildProcess#startWith}.
     */
    public static void write(Path folder, Class<?> type, String method, CodeTransform fault) throws IOException {
        String path = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no such class file: path=" + path);
            }
            ClassFile format = ClassFile.of(ClassHierarchyResolverOption
                    .of(ClassHierarchyResolver.ofResourceParsing(type.getClassLoader())));
            ClassModel model = format.parse(in.readAllBytes());
            byte[] faulty = transformed(format, model, method, fault);
            if (Arrays.equals(faulty, transformed(format, model, method, CodeTransform.ACCEPT_ALL))) {
                throw new IllegalArgumentException("nothing there has the fault: type=" + type + " method=" + method);
            }
            Path file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Files.write(file, faulty);
        }
    }

    private static byte[] transformed(ClassFile format, ClassModel model, String method, CodeTransform change) {
        return format.transformClass(model, ClassTransform.transformingMethodBodies(
                each -> each.methodName().equalsString(method), change));
    }
}
