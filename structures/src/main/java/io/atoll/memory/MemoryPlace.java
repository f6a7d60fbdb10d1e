package io.atoll.memory;

/**
 * Identifies the memory behind a file. Two processes that see the same place in the same kernel map the same pages.
 * Their containers and the path do not matter. Others may see a file of the same name and content, by a network file
 * system or in a copy. They would map pages of their own.
 *
 * @param kernelHigh the upper half of the number that the kernel made when it booted
 * @param kernelLow the lower half
 * @param device of the file's file system, as the kernel counts them
 * @param file its number there
 */
public record MemoryPlace(long kernelHigh, long kernelLow, long device, long file) {

    /** The place of memory that no other process reaches. */
    public static final MemoryPlace PRIVATE = new MemoryPlace(0, 0, 0, 0);
}
