import Foundation

/// What this process holds of the system, by its own account.
enum Resources {
    /// Open descriptors that libzmq and a reactor use: event descriptors and sockets.
    static var descriptorCount: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            guard let target else { return false }
            return target.hasPrefix("socket:") || target.hasPrefix("anon_inode:")
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
