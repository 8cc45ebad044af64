@testable import BusLab

/// Lines as processes write them, for one presentation called A.
enum MadeUpLog {
    static let worker = LedgerEvent.Life(node: "w1", pid: 10)
    static let workerLater = LedgerEvent.Life(node: "w1", pid: 11)
    static let other = LedgerEvent.Life(node: "w2", pid: 20)
    static let centre = LedgerEvent.Life(node: "c", pid: 1)
    static let centreLater = LedgerEvent.Life(node: "c", pid: 2)

    static func event(
        _ kind: LedgerEvent.Kind, _ life: LedgerEvent.Life, id: String = "A",
        option: String = "", answer: String = "", reason: String = ""
    ) -> LedgerEvent {
        var event = LedgerEvent(kind, id, life)
        event.option = option
        event.answer = answer
        event.reason = reason
        return event
    }

    static let report = event(.report, worker)
    static let present = present(["retry", "skip"])
    static let prompt = event(.prompt, centre)
    static let gone = event(.gone, centre, reason: "answered")
    static let takenAway = event(.gone, centre, reason: "takenAway")
    static let decide = event(.decide, centre, option: "retry", answer: "1")
    static let attempt = event(.attempt, worker, option: "retry")
    static let complete = complete(in: worker)
    static let done = done("recovered")

    static func present(_ options: [String]) -> LedgerEvent {
        var event = event(.present, centre)
        event.options = options
        return event
    }

    static func done(_ result: String) -> LedgerEvent {
        var event = event(.done, centre, option: "retry", answer: "1")
        event.result = result
        return event
    }

    static func complete(
        in life: LedgerEvent.Life, option: String = "retry", answer: String = "1"
    ) -> LedgerEvent {
        var event = event(.complete, life, option: option, answer: answer, reason: "answered")
        event.didRecover = true
        return event
    }

    /// All but the completion.
    static let answered = [report, present, prompt, gone, decide, attempt, done]
    static let whole = answered + [complete]
}
