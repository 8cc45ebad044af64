import Foundation
import Glibc

/// What one process holds at one moment, by the kernel's account and by its own status file.
struct ProcessSample: Hashable, Sendable {
    /// Resident memory, in bytes.
    var residentBytes = 0
    var descriptors = 0
    /// Entries of its tables; nil: it has said nothing yet.
    var tableEntries: Int?

    /// Nil when there is no such process.
    init?(pid: pid_t, statusFile: String) {
        let folder = "/proc/\(pid)"
        guard let text = try? String(contentsOfFile: "\(folder)/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
        else { return nil }
        residentBytes = pages * sysconf(Int32(_SC_PAGESIZE))
        descriptors = names.count
        tableEntries = StatusFile.entryCount(in: statusFile)
    }

    init() {}

    /// Resident memory with one digit.
    var mebibytes: String { "\((Double(residentBytes) / 1_048_576 * 10).rounded() / 10)" }

    /// The larger of each.
    func maximum(_ other: ProcessSample) -> ProcessSample {
        var both = self
        both.residentBytes = max(residentBytes, other.residentBytes)
        both.descriptors = max(descriptors, other.descriptors)
        both.tableEntries = [tableEntries, other.tableEntries].compactMap(\.self).max()
        return both
    }
}
