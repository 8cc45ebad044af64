import ErrorBus
import Foundation
import Glibc

/// A report from a file, or from standard input.
enum ReportFile {
    /// - Parameter path: `-` for standard input.
    static func read(_ path: String) throws -> ErrorReport {
        let bytes = try bytes(path)
        do throws(ReportError) {
            return try ErrorReport(payload: bytes)
        } catch {
            throw Failure(.badData, "\(path == "-" ? "standard input" : path): \(error)")
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let limit = JSONLimits.report.byteCount + 1
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle else {
            throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))")
        }
        do {
            return [UInt8](try handle.read(upToCount: limit) ?? Data())
        } catch {
            throw Failure(.noInput, "\(path): cannot be read")
        }
    }
}
