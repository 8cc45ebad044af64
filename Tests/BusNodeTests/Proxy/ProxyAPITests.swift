import ErrorBus
import Testing

@testable import BusLab

/// Which request does what, without HTTP.
struct ProxyAPITests {
    private let folder: TemporaryFolder
    private let api = ProxyAPI(registry: ProxyRegistry(seed: 1))

    init() async throws { folder = try TemporaryFolder() }

    private func send(_ method: String, _ path: String, _ body: String = "") async -> APIResponse {
        await api.respond(to: APIRequest(method: method, path: path, body: Array(body.utf8)))
    }

    private func makeProxy(_ name: String = "link") async -> APIResponse {
        await send(
            "POST", "/proxies",
            """
            {"name":"\(name)","listen":"ipc://\(folder.path)/\(name)",
             "upstream":"127.0.0.1:7701","enabled":true}
            """)
    }

    @Test("A proxy is made, read, taken down, brought up and deleted")
    func life() async {
        let made = await makeProxy()
        #expect(made.status == 201)
        #expect(made.json?["upstream"] == "127.0.0.1:7701")
        #expect(made.json?["enabled"] == true)
        #expect(await send("GET", "/proxies/link").json == made.json)
        #expect(await send("GET", "/proxies").json == .object(["link": made.json ?? nil]))
        #expect(await makeProxy().status == 409)
        #expect(
            await send("POST", "/proxies/link", #"{"enabled":false}"#).json?["enabled"] == false)
        #expect(await send("GET", "/proxies/link").json?["enabled"] == false)
        #expect(await send("POST", "/reset").status == 204)
        #expect(await send("GET", "/proxies/link").json?["enabled"] == true)
        #expect(await send("DELETE", "/proxies/link").status == 204)
        #expect(await send("GET", "/proxies/link").status == 404)
    }

    @Test("Port 0 lets the system choose, and the choice is reported")
    func anyPort() async throws {
        let made = await send(
            "POST", "/proxies", #"{"name":"p","listen":"127.0.0.1:0","upstream":"localhost:1"}"#)
        let listen = try #require(made.json?["listen"]?.stringValue)
        let port = try #require(listen.split(separator: ":").last.flatMap { Int($0) })
        #expect(port > 0)
        #expect(await send("DELETE", "/proxies/p").status == 204)
    }

    @Test(
        "Every toxic is made, read back as posted, and deleted",
        arguments: [
            ("latency", #"{"latency":100,"jitter":20}"#), ("bandwidth", #"{"rate":5}"#),
            ("slow_close", #"{"delay":9}"#), ("timeout", #"{"timeout":0}"#),
            ("reset_peer", #"{"timeout":7}"#),
            ("slicer", #"{"average_size":8,"size_variation":2,"delay":50}"#),
            ("limit_data", #"{"bytes":10}"#), ("corrupt", #"{"probability":0.5,"offset":3}"#),
            ("blackhole", "{}"), ("duplicate", #"{"probability":0.25}"#),
        ])
    func toxics(type: String, attributes: String) async throws {
        _ = await makeProxy()
        let made = await send(
            "POST", "/proxies/link/toxics",
            #"{"type":"\#(type)","stream":"upstream","toxicity":0.75,"attributes":\#(attributes)}"#)
        #expect(made.status == 200)
        #expect(made.json?["name"] == .string("\(type)_upstream"))
        #expect(made.json?["toxicity"] == 0.75)
        #expect(made.json?["attributes"] == (try JSONValue.parse(Array(attributes.utf8))))
        #expect(await send("GET", "/proxies/link/toxics").json == .array([made.json ?? nil]))
        #expect(await send("GET", "/proxies/link/toxics/\(type)_upstream").json == made.json)
        #expect(await send("DELETE", "/proxies/link/toxics/\(type)_upstream").status == 204)
        #expect(await send("GET", "/proxies/link/toxics").json == [])
        #expect(await send("DELETE", "/proxies/link").status == 204)
    }

    @Test("A change names only the differences, and never the type")
    func update() async {
        _ = await makeProxy()
        _ = await send(
            "POST", "/proxies/link/toxics",
            #"{"name":"slow","type":"latency","attributes":{"latency":100,"jitter":20}}"#)
        let changed = await send(
            "POST", "/proxies/link/toxics/slow", #"{"attributes":{"latency":5}}"#)
        #expect(changed.json?["attributes"] == ["latency": 5, "jitter": 20])
        #expect(changed.json?["stream"] == "downstream")
        let other = await send("POST", "/proxies/link/toxics/slow", #"{"type":"blackhole"}"#)
        #expect(other.status == 400)
        #expect(await send("DELETE", "/proxies/link").status == 204)
    }

    @Test(
        "An invalid request is refused with the found and the allowed",
        arguments: [
            ("POST", "/proxies/link/toxics", "{", 400, "body"),
            ("POST", "/proxies/link/toxics", "[]", 400, "a JSON object"),
            ("POST", "/proxies/link/toxics", "{}", 400, "type: missing"),
            ("POST", "/proxies/link/toxics", #"{"type":"x"}"#, 400, "allowed: latency"),
            (
                "POST", "/proxies/link/toxics", #"{"typ":"latency"}"#, 400,
                "found typ; allowed: name"
            ),
            (
                "POST", "/proxies/link/toxics", #"{"type":"latency","stream":"up"}"#, 400,
                "upstream, downstream"
            ),
            (
                "POST", "/proxies/link/toxics", #"{"type":"latency","toxicity":1.5}"#, 400,
                "0.0 to 1.0"
            ),
            (
                "POST", "/proxies/link/toxics", #"{"type":"latency","attributes":{"rate":1}}"#, 400,
                "allowed: latency, jitter"
            ),
            (
                "POST", "/proxies/link/toxics", #"{"type":"latency","attributes":{"latency":-1}}"#,
                400, "0 to 3600000"
            ),
            ("POST", "/proxies/link/toxics", #"{"type":"bandwidth"}"#, 400, "rate: missing"),
            (
                "POST", "/proxies/link/toxics",
                #"{"type":"slicer","attributes":{"average_size":4,"size_variation":4}}"#, 400,
                "less than average_size"
            ),
            ("POST", "/proxies/link/toxics", #"{"type":"blackhole","name":"a/b"}"#, 400, "name"),
            ("DELETE", "/proxies/link/toxics/none", "", 404, "no toxic none"),
            ("GET", "/proxies/none", "", 404, "no proxy none"),
            ("GET", "/nothing", "", 404, "/reset"),
            ("GET", "/reset", "", 405, "allowed: POST"),
            ("PUT", "/proxies", "", 405, "allowed: GET, POST"),
            ("POST", "/proxies", #"{"name":"x"}"#, 400, "all three"),
            (
                "POST", "/proxies", #"{"name":"x","listen":"0.0.0.0:0","upstream":"a:1"}"#, 400,
                "loopback"
            ),
            (
                "POST", "/proxies", #"{"name":"x","listen":"127.0.0.1:0","upstream":"a:0"}"#, 400,
                "connect"
            ),
            ("POST", "/proxies/link", #"{"name":"other"}"#, 400, "renamed"),
            ("POST", "/proxies/link", #"{"enabled":1}"#, 400, "true or false"),
        ] as [(String, String, String, Int, String)])
    func refusals(
        method: String, path: String, body: String, status: Int, text: String
    ) async throws {
        #expect(await makeProxy().status == 201)
        let response = await send(method, path, body)
        #expect(response.status == status)
        let error = try #require(response.json?["error"]?.stringValue)
        #expect(error.contains(text), "\(error)")
        #expect(response.json?["status"] == .integer(Int64(status)))
        #expect(await send("DELETE", "/proxies/link").status == 204)
    }

    @Test("Toxics and proxies are limited")
    func limits() async {
        #expect(await makeProxy().status == 201)
        for index in 0..<FaultProxy.toxicCountMax {
            let body = #"{"name":"t\#(index)","type":"blackhole"}"#
            #expect(await send("POST", "/proxies/link/toxics", body).status == 200)
        }
        let more = await send("POST", "/proxies/link/toxics", #"{"type":"blackhole"}"#)
        #expect(more.status == 400)
        for index in 1..<ProxyRegistry.proxyCountMax {
            let body =
                #"{"name":"p\#(index)","listen":"127.0.0.1:0","upstream":"a:1","enabled":false}"#
            #expect(await send("POST", "/proxies", body).status == 201)
        }
        let one = #"{"name":"x","listen":"127.0.0.1:0","upstream":"a:1","enabled":false}"#
        #expect(await send("POST", "/proxies", one).status == 400)
        #expect(await send("DELETE", "/proxies/link").status == 204)
    }
}
