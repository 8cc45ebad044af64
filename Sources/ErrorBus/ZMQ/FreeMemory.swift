import CZMQ

/// Memory that was freed and that the C library still holds, in pieces: after a burst, resident
/// memory says what the burst took.
package enum FreeMemory {
    /// Gives it back to the system; takes milliseconds to tenths of a second.
    package static func giveBack() { malloc_trim(0) }
}
