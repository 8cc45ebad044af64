import Foundation

/// What this process holds of the system, by its own account.
enum Resources {
    /// Open descriptors that libzmq and a reactor use: event descriptors and sockets.
    static var descriptorCount: Int { count("socket:") + count("anon_inode:") }

    /// Open sockets: libdispatch may open descriptors of other kinds at any time.
    static var socketCount: Int { count("socket:") }

    private static func count(_ kind: String) -> Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            return target?.hasPrefix(kind) == true
        }
    }

    /// Threads whose name begins so.
    static func threadCount(named prefix: String) -> Int {
        let folder = "/proc/self/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let text = try? String(contentsOfFile: "\(folder)/\(name)/comm", encoding: .utf8)
            return text?.hasPrefix(prefix) == true
        }
    }

    /// Waits until `condition` holds: threads end a moment after they were asked to.
    static func wait(until condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }
}
