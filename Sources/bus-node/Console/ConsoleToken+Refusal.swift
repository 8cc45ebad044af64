extension ConsoleToken {
    /// Why a file is not taken as a token's.
    struct Refusal: Error {
        let status: ExitStatus
        let found: String
        /// Nil where the system says no.
        var allowed: String?

        var text: String { allowed.map { "found \(found), allowed: \($0)" } ?? found }
    }
}
