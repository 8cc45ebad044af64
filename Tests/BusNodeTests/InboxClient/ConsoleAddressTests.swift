import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

@Suite struct ConsoleAddressTests {
    @Test(
        "the printed address is read, with its token or without",
        arguments: [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, nil),
            ("http://127.0.0.1:8080/?token=a-b_c", "127.0.0.1", 8080, "a-b_c"),
            ("http://[::1]:9/", "::1", 9, nil),
            ("http://console.example", "console.example", 80, nil),
            ("https://console.example", "console.example", 443, nil),
            ("https://[::1]:9/?token=a", "::1", 9, "a"),
        ] as [(String, String, Int, String?)])
    func read(text: String, host: String, port: Int, token: String?) throws {
        let address = try ConsoleAddress(text, option: "--to")
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.token == token)
        #expect(address.isSecure == text.hasPrefix("https:"))
    }

    @Test(
        "any other text is refused",
        arguments: [
            "ftp://x", "https://x/api", "127.0.0.1:8080", "tcp://127.0.0.1:8080", "http://",
            "http://x/api",
            "http://me@x/", "",
        ])
    func refused(text: String) {
        let failure = #expect(throws: Failure.self) {
            try ConsoleAddress(text, option: "--to")
        }
        #expect(failure?.status == .usage)
        #expect(failure?.text == "--to: found \"\(text)\", allowed: \(ConsoleAddress.allowed)")
    }

    @Test("a refusal does not have the token")
    func withoutToken() {
        for text in ["https://h/errorbus?token=hunter2", "https://h/?token=hunter2#top"] {
            let failure = #expect(throws: Failure.self) {
                try ConsoleAddress(text, option: "--to")
            }
            #expect(failure?.text.hasPrefix("--to: found \"https://h/") == true)
            #expect(failure?.text.contains("hunter2") == false)
        }
    }

    @Test("a topology names address and token file")
    func settings() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("0123456789abcdef\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.tokenFile = file
        let address = try ConsoleAddress(settings, of: "central")
        #expect(address.host == "127.0.0.1")
        #expect(address.port == 8080)
        #expect(address.token == "0123456789abcdef")
    }

    @Test(
        "of a console with TLS a topology names the address that its certificate is for",
        arguments: [
            ("https://c.example", ["d.example:8443"], "https://c.example:443"),
            (nil, ["d.example:8443", "e.example"], "https://d.example:8443"),
            ("http://c.example", [], "https://127.0.0.1:8080"),
            (nil, [], "https://127.0.0.1:8080"),
        ] as [(String?, [String], String)])
    func secure(url: String?, hosts: [String], expected: String) throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.tls = ConsoleTLSSettings(certificateFile: "a", keyFile: "b")
        settings.url = url
        settings.hosts = hosts
        let client = try ConsoleClient(try ConsoleAddress(settings, of: "central"))
        #expect(client.shownAddress == expected)
    }

    @Test(
        "an address without a token has that of the same console, and of no other one",
        arguments: [
            ("http://H:8080", "own"), ("http://h:8081", nil), ("https://h:8080", nil),
            ("http://i:8080", nil),
        ] as [(String, String?)])
    func known(text: String, token: String?) throws {
        let consoles = try ["http://h:8080", "http://h:8080/?token=own"].map {
            try ConsoleAddress($0, option: "BUS_NODE_CONSOLE")
        }
        #expect(try ConsoleAddress(text, option: "--to").token(knownTo: consoles) == token)
    }

    @Test("a console on a port chosen by the system needs its address")
    func anyPort() throws {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:*"))
        let failure = #expect(throws: Failure.self) {
            try ConsoleAddress(settings, of: "central")
        }
        #expect(failure?.status == .badConfiguration)
    }

    @Test(
        "a console's refusals as exit statuses",
        arguments: [
            (401, BusNodeKit.ExitStatus.notPermitted), (403, .notPermitted), (404, .declined),
            (409, .declined), (400, .usage), (422, .usage), (503, .temporaryFailure),
            (500, .software),
        ])
    func statuses(status: Int, expected: BusNodeKit.ExitStatus) throws {
        let client = try ConsoleClient(try ConsoleAddress("http://h:1", option: "--to"))
        let failure = client.failure(status, ["message": "why"])
        #expect(failure.status == expected)
        // Of a wrong token the console says what browsers and scripts do; here one types.
        #expect((failure.text == "why") == (status != 401))
    }
}
