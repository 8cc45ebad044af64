// An ended presentation at a parent: its answer, for callers that present again, and its result,
// for a parent that repeats the answer.
extension UplinkEntry: TableEntry {
    struct Tombstone: Hashable, Sendable {
        let origin: NodeName
        let answer: Answer
        let knownIn: BootID?
        let until: MonotonicTime
        let attempt: UInt64
        let digest: ReportDigest?
        let result: RecoveryResult
        let isForwarded: Bool
        let wasAccepted: Bool
        let wasAbandoned: Bool
        let isBehindWithdrawal: Bool
    }

    /// The smaller form of an attempt's result that the parent needs no longer. A result of
    /// `unknown` may be replaced, and one of an earlier life is sent until its OK.
    var tombstone: Tombstone? {
        guard case .settled(let id, let result, let until) = phase, result != .unknown, let answer,
            answer.id == id, !isPassedOn, resending == nil, lastWord == nil, askedMeanwhile == nil
        else { return nil }
        return Tombstone(
            origin: request.present.origin, answer: answer, knownIn: knownIn, until: until,
            attempt: attempt, digest: request.present.digest, result: result,
            isForwarded: request.isForwarded, wasAccepted: wasAccepted,
            wasAbandoned: wasAbandoned, isBehindWithdrawal: isBehindWithdrawal)
    }

    init(_ id: PresentationID, _ tombstone: Tombstone) {
        let present = Message.Present(
            id: id, origin: tombstone.origin, path: [], digest: tombstone.digest, payload: [])
        self.init(
            request: UplinkRequest(present: present, isForwarded: tombstone.isForwarded),
            phase: .settled(tombstone.answer.id, tombstone.result, until: tombstone.until),
            since: tombstone.until, attempt: tombstone.attempt)
        answer = tombstone.answer
        knownIn = tombstone.knownIn
        wasAccepted = tombstone.wasAccepted
        wasAbandoned = tombstone.wasAbandoned
        isBehindWithdrawal = tombstone.isBehindWithdrawal
    }
}
