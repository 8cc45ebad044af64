import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Options that ask for values, in an inbox.
struct InboxValuesTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private func question(_ number: UInt64) -> InboxPresentation {
        let report = ErrorReport(
            domain: "d", code: 1, description: "broken",
            options: [.init(id: "retry", title: "Retry"), .init(id: "cancel", title: "Cancel")])
        return InboxPresentation(id: id(number), report: report, origin: "w")
    }

    private func answer() -> Answer {
        Answer(id: id(1001).value, option: "retry", by: "ann", via: .person)
    }

    @Test("A42 a value that does not fit leaves it open; a secret is kept only until it is sent")
    mutating func values() throws {
        var presentation = question(1)
        presentation.report.options[0].fields = [
            .text("path", label: "Path"), .secret("pin", label: "PIN"),
            .number("n", label: "N", default: 3),
        ]
        #expect(machine.opened(presentation, at: start) != nil)
        for (values, field) in [
            ([:], "path"), (["path": 1, "pin": "1"], "path"), (["path": "/a"], "pin"),
            (["path": "/a", "pin": "1", "x": 1], "x"),
        ] as [([String: JSONValue], String)] {
            let refusal = #expect(throws: InboxRefusal.self) {
                try machine.answer(id(1), with: answer(), values, undo: .zero, at: start)
            }
            guard case .badValue("retry", let fault) = refusal, fault.field == field else {
                Issue.record("found \(String(describing: refusal))")
                continue
            }
        }
        #expect(machine.openCount == 1)
        let given: [String: JSONValue] = ["path": "/a", "pin": "hunter2"]
        guard
            case .hold(let held, _) = try machine.answer(
                id(1), with: answer(), given, undo: .seconds(5), at: start)
        else {
            Issue.record("not held")
            return
        }
        #expect(held.given.values == ["path": "/a", "n": 3])
        let left = machine.left(id(1), held.id, at: start)
        #expect(left?.given.secrets == ["pin": "hunter2"])
        #expect(try machine.item(id(1), at: start).answer == held.withoutSecrets)
        #expect(
            try machine.answer(id(1), with: answer(), given, undo: .zero, at: start)
                == .acknowledged(held.withoutSecrets))
        #expect(throws: InboxRefusal.otherAnswer(by: "ann")) {
            try machine.answer(
                id(1), with: answer(), ["path": "/b", "pin": "x"], undo: .zero, at: start)
        }
    }

    @Test("A secret that was given at another presenter is not kept")
    mutating func answeredElsewhere() throws {
        var presentation = question(1)
        presentation.report.options[0].fields = [.secret("pin", label: "PIN")]
        #expect(machine.opened(presentation, at: start) != nil)
        let given = try machine.item(id(1), at: start)
            .filled(answer(), with: ["pin": "hunter2"]).get()
        #expect(given.given.secrets == ["pin": "hunter2"])
        machine.decided(id(1), given, at: start)
        #expect(try machine.item(id(1), at: start).answer == given.withoutSecrets)
    }
}
