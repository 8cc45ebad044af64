import ErrorBus
import Foundation
import Testing

/// A client of the console in another language: Python's http.client, which sends anything.
struct ConsoleClient {
    /// A list of a thousand is longer than a report may be.
    private static let limits = JSONLimits(byteCount: 16 << 20, depth: 32, valueCount: 1_000_000)

    struct Reply {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let text: String

        /// The body; null when it is no JSON.
        var json: JSONValue {
            (try? JSONValue.parse(Array(text.utf8), limits: ConsoleClient.limits)) ?? .null
        }

        /// What is at the end of the way, as text; empty when nothing is.
        func text(_ way: String...) -> String {
            let value = way.reduce(Optional(json)) { $0?[$1] }
            return value?.stringValue ?? value?.integerValue.map(String.init) ?? ""
        }
    }

    /// Host and port.
    let address: String
    let token: String
    /// The file of the authority of a console with TLS.
    var authority: String?

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - events: How many events of a stream to wait for.
    ///   - text: What the last of them contains, in place of their number.
    func send(
        _ method: String = "GET", _ path: String, _ body: JSONValue? = nil,
        headers: [String: String?] = [:], rawBody: String? = nil, events: Int? = nil,
        until text: String? = nil
    ) async throws -> Reply {
        var fields = ["Authorization": "Bearer \(token)"]
        if body != nil { fields["Content-Type"] = "application/json" }
        for (name, value) in headers { fields[name] = value }
        var request: [String: JSONValue] = [
            "address": .string(address), "method": .string(method), "path": .string(path),
            "headers": .object(fields.mapValues { .string($0) }),
            "body": .string(
                rawBody ?? body.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? ""),
        ]
        if let authority { request["authority"] = .string(authority) }
        if let text { request["until"] = .string(text) }
        if let events { request["events"] = .integer(Int64(events)) }
        let input = String(decoding: JSONValue.object(request).encoded(), as: UTF8.self)
        let process = try Launched(
            ["python3", "-c", Self.script], program: "/usr/bin/env", input: .text(input))
        #expect(try await process.ending() == 0, "\(process.errors.value)")
        #expect(await process.prints("\n"))
        let output = try JSONValue.parse(Array(process.output.value.utf8), limits: Self.limits)
        return Reply(
            status: Int(output["status"]?.integerValue ?? 0),
            headers: output["headers"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
            text: output["body"]?.stringValue ?? "")
    }

    private static let script = """
        import http.client, json, ssl, sys
        request = json.load(sys.stdin)
        if "authority" in request:
            context = ssl.create_default_context(cafile=request["authority"])
            connection = http.client.HTTPSConnection(
                request["address"], timeout=120, context=context)
        else:
            connection = http.client.HTTPConnection(request["address"], timeout=120)
        headers = request["headers"]
        connection.putrequest(request["method"], request["path"], skip_host="Host" in headers)
        body = request["body"].encode()
        for name, value in headers.items():
            connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        try:
            connection.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # Refused before it was sent whole: the answer is there to be read.
        response = connection.getresponse()
        if "events" in request or "until" in request:
            text, event, count = "", "", 0
            while count < request.get("events", 1):
                line = response.readline().decode()
                if not line:
                    break
                event += line
                if line == "\\n":
                    text += event
                    count += request.get("until", "") in event
                    event = ""
        else:
            text = response.read().decode()
        print(json.dumps({
            "status": response.status, "body": text,
            "headers": {name.lower(): value for name, value in response.getheaders()}}))
        """
}
