import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct EndpointTests {
    @Test(
        "a valid endpoint is printed as it was read",
        arguments: [
            ("tcp://127.0.0.1:7700", true, true),
            ("tcp://localhost:1", true, true),
            ("tcp://[::1]:65535", true, true),
            ("tcp://127.255.0.9:7700", true, true),
            ("tcp://127.0.0.1.example:7700", false, true),
            ("tcp://127.0.0.example:7700", false, true),
            ("tcp://10.0.0.7:7700", false, true),
            ("tcp://relay_1.example:7700", false, true),
            ("tcp://[2001:db8::1]:80", false, true),
            ("tcp://*:7700", false, false),
            ("tcp://0.0.0.0:7700", false, false),
            ("tcp://[::]:7700", false, false),
            ("tcp://127.0.0.1:*", true, false),
            ("ipc:///run/bus/relay-eu", true, true),
            ("ipc://var/relay", true, true),
        ])
    func valid(text: String, isLocal: Bool, isConnectable: Bool) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.description == text)
        #expect(endpoint.isLocal == isLocal)
        #expect(endpoint.isConnectable == isConnectable)
    }

    @Test(
        "an invalid endpoint is rejected",
        arguments: [
            "", "tcp", "tcp://", "tcp://:7700", "tcp://127.0.0.1", "tcp://127.0.0.1:",
            "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:+80",
            "tcp://127.0.0.1:80/x", "tcp://127.0.0.256:80", "tcp://1.2.3:80", "tcp://[::1:80",
            "tcp://[nonsense]:80", "tcp://::1:80", "tcp://a b:80", "tcp://-a:80", "udp://a:80",
            "inproc://x", "TCP://127.0.0.1:80", "ipc://", "ipc://*", "ipc://@abstract", "ipc://a/",
            "ipc://a\u{0}b", "ipc://a\nb", "tcp://\u{FF11}.1.1.1:80",
        ])
    func invalid(text: String) {
        #expect(throws: EndpointError.self) { try Endpoint(text) }
    }

    @Test("an error has the found and the allowed text")
    func message() {
        let error = #expect(throws: EndpointError.self) { try Endpoint("tcp://a:99999") }
        #expect(
            error?.description
                == "endpoint: found \"tcp://a:99999\", allowed: a port from 1 to 65535")
    }

    @Test("an ipc path has at most 107 bytes, after its folder is put in front")
    func pathLimit() throws {
        let longest = String(repeating: "p", count: Endpoint.pathByteCountMax)
        let endpoint = try Endpoint("ipc://" + longest)
        #expect(throws: EndpointError.self) { try Endpoint("ipc://" + longest + "p") }
        #expect(throws: EndpointError.self) { try endpoint.resolved(relativeTo: "a") }
        #expect(try endpoint.resolved(relativeTo: "") == endpoint)
    }

    @Test("a host in upper case is the same host")
    func upperCase() throws {
        let endpoint = try Endpoint("tcp://LocalHost:7700")
        let lowerCase = try Endpoint("tcp://localhost:7700")
        #expect(endpoint == lowerCase)
        #expect(endpoint.isLocal)
        let address = try Endpoint("tcp://[2001:DB8::1]:80")
        #expect(address.description == "tcp://[2001:db8::1]:80")
    }

    @Test("a host has at most 253 bytes")
    func hostLimit() throws {
        let longest = String(repeating: "h", count: Endpoint.hostByteCountMax)
        #expect(try Endpoint("tcp://\(longest):1").isConnectable)
        #expect(throws: EndpointError.self) { try Endpoint("tcp://\(longest)h:1") }
    }

    @Test(
        "relative ipc paths start at the given folder",
        arguments: [
            ("ipc://var/x", "/etc/bus", "ipc:///etc/bus/var/x"),
            ("ipc://x", "/", "ipc:///x"),
            ("ipc:///run/x", "/etc", "ipc:///run/x"),
            ("tcp://127.0.0.1:1", "/etc", "tcp://127.0.0.1:1"),
        ])
    func resolved(text: String, folder: String, expected: String) throws {
        #expect(try Endpoint(text).resolved(relativeTo: folder).description == expected)
    }

    @Test(
        "every interface includes the loopback one",
        arguments: [
            ("tcp://*:7700", "tcp://127.0.0.1:7700"), ("tcp://[::]:7700", "tcp://[::1]:7700"),
            ("tcp://10.0.0.1:7700", "tcp://10.0.0.1:7700"), ("tcp://127.0.0.1:*", nil),
        ])
    func connectable(text: String, expected: String?) throws {
        #expect(try Endpoint(text).connectable?.description == expected)
    }
}
