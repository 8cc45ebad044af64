import HTTPTypes
import Synchronization

/// A sort of work that a console does for one request at a time: each reads many whole reports.
final class OneAtATime: Sendable {
    private let what: String
    private let isUnderWay = Mutex(false)

    init(_ what: String) { self.what = what }

    /// Begins one.
    ///
    /// - Throws: 503 while another one is under way.
    func begin() throws(APIProblem) {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else {
            throw APIProblem(
                .serviceUnavailable, "busy",
                "another \(what) is under way: try again in a moment")
        }
    }

    func end() { isUnderWay.withLock { $0 = false } }
}
