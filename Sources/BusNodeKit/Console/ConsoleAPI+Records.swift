import ErrorBus
import HTTPTypes

// An answer is acknowledged once it is on record.
extension ConsoleAPI {
    /// Waits until the answer of a presentation is on record; a held one, and one at a node without
    /// a journal, is acknowledged at once.
    func requireRecord(of id: PresentationID) async throws(APIProblem) {
        let unrecorded = await inbox.unrecorded(
            among: [id], after: ConsoleLimits.recordTime, clock: clock)
        if let refusal = unrecorded.lost[id] { throw APIProblem(refusal) }
        guard unrecorded.delayed.isEmpty else { throw Self.notRecorded([id]) }
    }

    /// The result of a group's answer, once the answers are on record. A member that ended before
    /// is among the refused.
    func recorded(_ result: JSONValue) async throws(APIProblem) -> JSONValue {
        guard var object = result.objectValue else { return result }
        let answered = object["answered"]?.arrayValue ?? []
        let answers = object["answers"]?.arrayValue ?? []
        let ids = answered.compactMap { $0.stringValue.flatMap { PresentationID($0) } }
        let unrecorded = await inbox.unrecorded(
            among: ids, after: ConsoleLimits.recordTime, clock: clock)
        if !unrecorded.lost.isEmpty {
            let lost = Set(unrecorded.lost.keys.map { JSONValue.string($0.description) })
            let kept = zip(answered, answers).filter { !lost.contains($0.0) }
            let refused = unrecorded.lost.map { id, refusal -> JSONValue in
                let problem = APIProblem(refusal)
                return [
                    "id": .string(id.description), "message": .string(problem.message),
                    "error": .string(problem.word),
                ]
            }
            object["answered"] = .array(kept.map(\.0))
            object["answers"] = .array(kept.map(\.1))
            object["refused"] = .array((object["refused"]?.arrayValue ?? []) + refused)
        }
        guard unrecorded.delayed.isEmpty else {
            var problem = Self.notRecorded(unrecorded.delayed)
            problem.details.merge(object) { own, _ in own }
            throw problem
        }
        return .object(object)
    }

    private static func notRecorded(_ ids: [PresentationID]) -> APIProblem {
        let answers = ids.count == 1 ? "the answer was" : "\(ids.count) answers were"
        return APIProblem(
            .internalServerError, "notStored",
            "\(answers) taken, but not on disk yet, and not sent until then: the journal is slow "
                + "or cannot be written. Make the journal writable, for example free space on its "
                + "disk. If a presentation ends before, its answer is not sent",
            details: ["unrecorded": ids.map(\.description).json])
    }
}
