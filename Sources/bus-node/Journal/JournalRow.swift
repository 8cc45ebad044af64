import ErrorBus
import Foundation
import GRDB

/// One presentation in the journal: a row, with a checksum over all that is in it.
struct JournalRow: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let databaseTableName = "presentation"

    var id: String
    /// Empty when it arose in the presenter's own process.
    var origin: String
    var digest: String
    var report: Data
    var shownAt: String
    var answer: String?
    var option: String?
    var decidedBy: String?
    var via: String?
    var decidedAt: String?
    var result: String?
    var settledAt: String?
    /// Why it ended without an answer.
    var endReason: String?
    var endedAt: String?
    var checksum: Int64

    init(_ id: PresentationID, _ question: DecisionRecord.Question, at time: String) {
        self.id = id.description
        origin = question.origin?.description ?? ""
        digest = question.digest?.description ?? ""
        report = Data(question.report.payload())
        shownAt = time
        checksum = 0
        seal()
    }

    /// Makes the checksum fit what is in the row.
    mutating func seal() { checksum = computedChecksum }

    var isIntact: Bool { checksum == computedChecksum }

    /// Fields with their lengths, so that nothing moved from one to the next goes unseen.
    private var computedChecksum: Int64 {
        let fields = [
            id, origin, digest, shownAt, answer, option, decidedBy, via, decidedAt, result,
            settledAt, endReason, endedAt,
        ]
        var bytes: [UInt8] = []
        for field in fields {
            bytes += (field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8
        }
        bytes += report
        return Int64(bitPattern: ReportDigest(of: bytes).value)
    }

    /// The row as the bus knows it; nil when its fields are none of ours.
    var record: DecisionRecord? {
        let origin = NodeName(origin)
        guard origin != nil || self.origin.isEmpty, let state else { return nil }
        return DecisionRecord(origin: origin, digest: ReportDigest(digest), state: state)
    }

    private var state: DecisionRecord.State? {
        if let answer, let option, let decidedBy, let via {
            guard let id = UniqueID(answer), let via = Answer.Via(rawValue: via) else { return nil }
            let known = result.map { RecoveryResult(rawValue: $0) }
            if case .some(.none) = known { return nil }
            return .decided(
                Answer(id: id, option: option, by: decidedBy, via: via), known.flatMap { $0 })
        }
        guard answer == nil else { return nil }
        if let endReason { return .ended(Outcome.Reason(rawValue: endReason)) }
        return .shown
    }
}
