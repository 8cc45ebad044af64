import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The key of equal errors as text")
struct CoalescingKeyTests {
    private func key(_ change: (inout ErrorReport) -> Void = { _ in }) -> CoalescingKey {
        var report = ErrorReport(
            domain: "d", code: 1, description: "The disk is full.",
            options: [.init(id: "go", title: "Retry"), .init(id: "no", title: "No")])
        change(&report)
        return CoalescingKey(report)
    }

    @Test("Errors with other options have other texts, and one text of their cause")
    func options() {
        let keys = [
            key(), key { $0.options[0].id = "on" }, key { $0.options[0].title = "Go on" },
            key { $0.options[0].role = .destructive },
            key { $0.options[0].isDeclaredDefault = true },
            key { $0.options[0].needsSignature = true },
            key { $0.options[0].needsTwoPeople = true }, key { $0.options.removeLast() },
        ]
        #expect(Set(keys.map(\.text)).count == keys.count)
        #expect(Set(keys.map(\.causeText)).count == 1)
    }

    @Test("Words that move from one part to the next make another text")
    func moved() {
        let one = key { ($0.domain, $0.coalesceKey) = ("a\nkey\nb", "c") }
        let other = key { ($0.domain, $0.coalesceKey) = ("a", "b\nkey\nc") }
        #expect(one != other)
        #expect(one.text != other.text && one.causeText != other.causeText)
    }
}
