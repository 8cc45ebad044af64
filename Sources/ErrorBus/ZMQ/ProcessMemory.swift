import CZMQ
import Glibc

/// The memory of this process.
package enum ProcessMemory {
    /// Its resident size; 0 where the kernel does not say.
    static var residentByteCount: Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &text, text.count)
        let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard fields.count > 1,
            let pages = Int(String(decoding: fields[1], as: UTF8.self))
        else { return 0 }
        return pages * Int(getpagesize())
    }

    /// Returns freed memory that the C library still holds, in pieces, to the system: the resident
    /// size stays at that of the last burst otherwise. Takes milliseconds to tenths of a second.
    package static func giveBack() { malloc_trim(0) }
}
