import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Which addresses of an identity provider may be asked.
struct ProviderAddressTests {
    @Test("TLS anywhere, plain http on this machine alone")
    func schemes() {
        for text in [
            "https://login.example", "https://login.example:8443/realms/a", "https://[fd00::1]/a",
            "https://login.example/a?b=c", "http://localhost:9000", "http://127.0.0.1/a",
            "http://[::1]:9000/", "https://login.example/a@b",
        ] {
            #expect(ProviderAddress(text)?.text == text)
        }
        #expect(ProviderAddress("https://Login.example:8443/a")?.host == "login.example:8443")
        for text in [
            "http://login.example", "http://127.0.0.1.evil.example", "http://127.evil.example",
            "http://localhost.evil.example", "http://10.0.0.1", "ftp://a", "//a", "a", "",
            "https://", "https:///a", "https://a@b", "https://a:b@c/", "https://a/#b",
            "https://a/b c", "https://a\\b", "https://a/\\b", "https://a/\nb", "https://a/\u{E9}",
            "HTTPS://a", "https://a/" + String(repeating: "b", count: 2_048),
        ] {
            #expect(ProviderAddress(text) == nil, "\(text)")
        }
    }
}
