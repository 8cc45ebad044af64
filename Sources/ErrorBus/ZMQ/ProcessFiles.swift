import CZMQ
import Glibc
import Synchronization

/// The kernel's files about this process. They stay open from their first use, at the start of a
/// node: a flood may take every descriptor, and the defence against it reads these files.
enum ProcessFiles {
    private struct Opened {
        /// The descriptor of `/proc/self/statm`.
        var memory: Int32 = -1
        var residentByteCount = 0
        /// The folder `/proc/self/fd`.
        var folder: OpaquePointer?
    }

    private static let opened = Mutex(Opened())

    /// The resident size; the last known size if the kernel does not say, 0 at first.
    static func residentByteCount() -> Int {
        opened.withLock { opened in
            if opened.memory < 0 { opened.memory = open("/proc/self/statm", O_RDONLY | O_CLOEXEC) }
            var text = [UInt8](repeating: 0, count: 128)
            let count = pread(opened.memory, &text, text.count, 0)
            let fields = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
            if fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) {
                opened.residentByteCount = pages * Int(getpagesize())
            }
            return opened.residentByteCount
        }
    }

    /// Every open descriptor; nil if the kernel does not say.
    static func descriptors() -> [Int32]? {
        opened.withLock { opened in
            if opened.folder == nil { opened.folder = opendir("/proc/self/fd") }
            guard let folder = opened.folder else { return nil }
            rewinddir(folder)
            var descriptors: [Int32] = []
            errno = 0
            while let entry = readdir(folder) {
                let number = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                        Int32(String(cString: $0))
                    }
                }
                // All but "." and "..".
                if let number { descriptors.append(number) }
            }
            return errno == 0 ? descriptors : nil
        }
    }

    /// The most descriptors that connections leave to the rest of the process, and to connections
    /// that are accepted before the check: as many as libzmq accepts in a tenth of a second.
    private static let reserveMax = 4_096

    /// Whether a descriptor is one of the last that the process may have: the kernel gives the
    /// lowest free number.
    static func isReserved(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return false
        }
        let most = Int(clamping: limit.rlim_cur)
        return Int(descriptor) >= most - min(reserveMax, most / 4)
    }

    /// Whether the process may open one more descriptor.
    static var hasRoom: Bool {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
        guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
        close(descriptor)
        return true
    }

    /// Opens all these files.
    static func prepare() {
        _ = residentByteCount()
        _ = descriptors()
    }
}
