import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Attempts of options with fields")
struct AttemptValuesTests {
    private let got = Recorder<FieldValues>()

    private var error: Recoverable {
        SampleError().recoverable {
            RecoveryOption(
                "Use another path", id: "path",
                fields: [
                    .text("path", label: "Path", pattern: "/*"),
                    .secret("pin", label: "PIN", isRequired: false),
                ]
            ) { [got] values in
                got.record(values)
                return true
            }
            RecoveryOption.cancel
        }
    }

    /// Answers each prompt with these values.
    private struct Filling: Presenter {
        let presenterName = "screen"
        let values: [String: JSONValue]
        let refusals = Recorder<AnswerRefusal>()

        func present(_ prompt: Prompt) async throws -> Answer? {
            do throws(AnswerRefusal) {
                return try prompt.answer("path", by: "ann", via: .person, values: values)
            } catch {
                refusals.record(error)
                return try prompt.answer("cancel", by: "ann", via: .person)
            }
        }
    }

    @Test("A41 the attempt gets the values, and no one else the secret")
    func values() async throws {
        let log = Recorder<PresentationEvent>()
        let presenter = Filling(values: ["path": "/srv", "pin": "hunter2"])
        let responder = PresentingResponder(
            "end", presenters: [presenter], audit: Recording(events: log), logger: .silent)
        let outcome = await responder.presentError(error)
        #expect(outcome.didRecover)
        #expect(got.elements.map { $0.text("path") } == ["/srv"])
        #expect(got.elements.map { $0.text("pin") } == ["hunter2"])
        #expect(outcome.answer?.given.values == ["path": "/srv"])
        var dumped = ""
        dump(outcome, to: &dumped)
        for event in log.elements { dump(event, to: &dumped) }
        let leaked = log.elements.contains { event in
            switch event.what {
            case .decided(let answer, _), .settled(_, let answer): !answer.given.secrets.isEmpty
            default: false
            }
        }
        #expect(!leaked && outcome.answer?.given.secrets.isEmpty == true)
        #expect(!dumped.contains("hunter2"))
    }

    @Test("A42 a prompt refuses what is not a value, and stays open")
    func refused() async {
        for (values, field) in [
            ([:], "path"), (["path": "srv"], "path"), (["path": "/a", "x": 1], "x"),
            (["path": "/a", "pin": 1], "pin"),
        ] as [([String: JSONValue], String)] {
            let presenter = Filling(values: values)
            let outcome = await PresentingResponder.asking(presenter).presentError(error)
            guard case .badValue("path", let fault) = presenter.refusals.elements.first else {
                Issue.record("\(values) was taken")
                continue
            }
            #expect(fault.field == field)
            #expect(outcome.answer?.option == "cancel")
        }
        #expect(got.elements.isEmpty)
    }

    @Test("A42 the owner checks again: nothing runs, and no script acts on the option")
    func owner() async {
        let answer = Answer(option: "path", by: "ann", via: .person, values: ["path": "srv"])
        let result = await error.attempter.attemptRecovery(answer)
        guard case .badValue(let fault) = result else {
            Issue.record("the attempt ran: \(result)")
            return
        }
        #expect(fault.field == "path" && result.settled == .invalid && !result.didRecover)
        let outcome = Outcome(answer: answer, result: result, decidedBy: "end")
        #expect(outcome.reason == .badValue && outcome.answer == nil && !outcome.didRecover)
        #expect(outcome.detail?.contains("value of \"path\"") == true)
        #expect(got.elements.isEmpty)
    }

    @Test("A28 the option that is applied without an answer gets the defaults, or does not run")
    func expiry() async {
        let ran = Recorder<FieldValues>()
        func outcome(_ field: ErrorReport.Field) async -> AttemptResult {
            let error = SampleError().recoverable {
                RecoveryOption("Go", id: "go", fields: [field]) {
                    ran.record($0)
                    return true
                }
            }
            return await error.attemptRecovery(Answer(option: "go", by: "o", via: .expiry))
        }
        #expect(await outcome(.number("n", label: "N", default: 3)) == .recovered)
        #expect(ran.elements.map { $0.integer("n") } == [3])
        #expect(await outcome(.number("n", label: "N")).settled == .invalid)
        #expect(ran.elements.count == 1)
    }
}

private struct Recording: AuditLog {
    let events: Recorder<PresentationEvent>

    func record(_ event: PresentationEvent) { events.record(event) }
}
