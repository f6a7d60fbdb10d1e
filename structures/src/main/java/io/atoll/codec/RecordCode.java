package io.atoll.codec;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ConstantDescs;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds out if a record's constructor or accessors do more than to keep its components. What they do runs in the middle
 * of an operation, so it must be watched ({@link io.atoll.failure.CodecCall}). Most records have none of it, and then
 * their codecs need not pay for that.
 */
final class RecordCode {

    private RecordCode() {}

    /** Returns true if the record runs code of its own, or may do so because its class file is not there to be read. */
    static boolean isIn(Class<?> record) {
        String file = record.getName().substring(record.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream bytes = record.getResourceAsStream(file)) {
            return bytes == null || isIn(record, ClassFile.of().parse(bytes.readAllBytes()));
        } catch (IOException | IllegalArgumentException unreadable) {
            return true;
        }
    }

    private static boolean isIn(Class<?> record, ClassModel file) {
        return file.methods().stream().filter(method -> isUsed(record, method)).anyMatch(RecordCode::doesMore);
    }

    /** Returns true if a codec calls the method: the canonical constructor, and the accessors. */
    private static boolean isUsed(Class<?> record, MethodModel method) {
        String name = method.methodName().stringValue();
        return name.equals(ConstantDescs.INIT_NAME)
                ? method.methodType().stringValue().equals(canonical(record))
                : method.methodTypeSymbol().parameterCount() == 0 && Stream.of(record.getRecordComponents())
                        .anyMatch(component -> component.getName().equals(name));
    }

    private static String canonical(Class<?> record) {
        return Stream.of(record.getRecordComponents())
                .map(component -> component.getType().descriptorString())
                .collect(Collectors.joining("", "(", ")V"));
    }

    private static boolean doesMore(MethodModel method) {
        return method.code()
                .map(code -> code.elementStream()
                        .anyMatch(element -> element instanceof Instruction instruction && !keeps(instruction)))
                .orElse(true);
    }

    private static boolean keeps(Instruction instruction) {
        return switch (instruction) {
            case LoadInstruction _,ReturnInstruction _ -> true;
            case FieldInstruction field -> field.opcode() == Opcode.GETFIELD || field.opcode() == Opcode.PUTFIELD;
            case InvokeInstruction call -> call.owner().asInternalName().equals("java/lang/Record");
            default -> false;
        };
    }
}
