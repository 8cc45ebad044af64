import Foundation

/// A moment given on the command line.
enum MomentOption {
    /// Reads RFC 3339, as in `2026-11-21T09:30:00Z`; nil is now.
    static func date(_ text: String?, option: String) throws -> Date {
        guard let text else { return Date() }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw Failure(
                .usage,
                "\(option): found \"\(text)\", allowed: a moment such as 2026-11-21T09:30:00Z")
        }
        return date
    }
}
