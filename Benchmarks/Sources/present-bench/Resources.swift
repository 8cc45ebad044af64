import Foundation
import Glibc

/// What a process has used of its machine, as Linux counts it.
struct Resources: Sendable {
    /// Of all its threads, in microseconds; the kernel counts it in hundredths of a second.
    let cpuMicroseconds: Double
    /// Its resident memory.
    let bytes: Double

    /// - Parameter process: Its id; this one's without.
    init(of process: Int32? = nil) throws {
        let folder = "/proc/\(process.map(String.init) ?? "self")"
        // The name, in parentheses, may hold spaces. After it: the state is field 3.
        let stat = try String(contentsOfFile: folder + "/stat", encoding: .utf8)
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        let pages = try String(contentsOfFile: folder + "/statm", encoding: .utf8)
            .split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]),
            pages.count > 1, let resident = Double(pages[1])
        else { throw BenchFailure("\(folder) is not as proc(5) says") }
        cpuMicroseconds = (user + system) * 1_000_000 / Double(sysconf(Int32(_SC_CLK_TCK)))
        bytes = resident * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}
