import ErrorBus
import Testing

@testable import BusNodeKit

/// What `console:` may hold.
struct ConsoleProblemTests {
    private func topology(_ console: String) -> String {
        """
        version: 1
        nodes:
          central:
            presenters: [{ console: { \(console) } }]
        """
    }

    private func problems(_ console: String) -> [String] {
        TestTopology.problems(topology(console)).map {
            $0.replacing("t.yaml:4: nodes.central.presenters[0].console", with: "")
        }
    }

    @Test(
        "The mistakes of tls",
        arguments: [
            ("tls: { certificate: a }", ".tls: found no key, allowed: key: FILE, in PEM form"),
            (
                "tls: { key: a }",
                ".tls: found no certificate, allowed: certificate: FILE, in PEM form"
            ),
            (
                "tls: true",
                ".tls: found \"true\", allowed: a mapping with keys of: certificate, key"
            ),
            (
                "tls: { certificate: a, key: b, ca: c }",
                ".tls.ca: found unknown key \"ca\", allowed: certificate, key"
            ),
        ])
    func tls(settings: String, expected: String) {
        #expect(problems("listen: 127.0.0.1:8080, \(settings)") == [expected])
    }

    @Test(
        "Plain HTTP beyond loopback is a warning that says what to do",
        arguments: [
            ("listen: 0.0.0.0:8080, token: file:a", true),
            ("listen: console.example:8080, users: file:a", true),
            ("listen: 127.0.0.1:8080", false),
            ("listen: 0.0.0.0:8080, token: file:a, tls: { certificate: b, key: c }", false),
        ])
    func plain(settings: String, isWarned: Bool) {
        let address = settings.split(separator: " ")[1].dropLast()
        let warning =
            "t.yaml:4: nodes.central.presenters[0].console.listen: warning: \"\(address)\" speaks "
            + "plain HTTP beyond loopback: who is on the way can read tokens and answers; add tls: "
            + "{ certificate: FILE, key: FILE }, or listen on loopback behind a proxy with TLS"
        #expect(problems(settings).isEmpty)
        #expect(TestTopology.warnings(topology(settings)) == (isWarned ? [warning] : []))
    }
}
