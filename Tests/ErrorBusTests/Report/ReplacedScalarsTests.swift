import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct ReplacedScalarsTests {
    @Test("A scalar is replaced also before a mark")
    func replaced() {
        let others: [Unicode.Scalar: String] = ["\"": "\"\"", "<": "&lt;"]
        #expect("a\"\u{301}<\u{301}".replacingScalars(others) == "a\"\"\u{301}&lt;\u{301}")
        #expect("plain".replacingScalars(others) == "plain")
        #expect("a+b\0".replacingScalars(["\0": "", "+": " "]) == "a b")
    }
}
