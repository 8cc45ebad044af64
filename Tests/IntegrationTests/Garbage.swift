import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Frames, after the empty one, that are no message, and the number they are refused with.
struct Garbage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let frames: [Frame]
    let code: RejectCode

    init(_ description: String, _ code: RejectCode, _ frames: [Frame]) {
        testDescription = description
        self.code = code
        self.frames = frames
    }

    private init(_ description: String, _ code: RejectCode = .malformed, text frames: String...) {
        self.init(description, code, frames.map { Frame($0.utf8) })
    }

    /// A PRESENT with this payload.
    private init(_ description: String, payload: String) {
        self.init(description, text: "EB1", "PRESENT", Self.header, payload)
    }

    /// A PRESENT with this header.
    private init(_ description: String, _ code: RejectCode = .malformed, header: String) {
        self.init(description, code, text: "EB1", "PRESENT", header, "{}")
    }

    private static let header =
        "id: 01890a5d-ac96-774b-bcce-b302099a8057\nattempt: 1\norigin: cron\npath: cron\n"
        + "wait-ms: 20000\n"

    static let all: [Garbage] = framings + verbs + headers + payloads

    private static let framings: [Garbage] = [
        Garbage("no frame", .malformed, []),
        Garbage("one empty frame", text: ""),
        Garbage("magic alone", text: "EB1"),
        Garbage("one frame of nonsense", text: "hello"),
        Garbage("two frames", text: "EB1", "PRESENT"),
        Garbage("three frames", text: "EB1", "PRESENT", header),
        Garbage("five frames", text: "EB1", "PRESENT", header, "{}", "more"),
        Garbage("eight frames", text: "EB1", "PRESENT", header, "{}", "5", "6", "7", "8"),
        Garbage("thirty frames", .malformed, Array(repeating: [0x78], count: 30)),
        Garbage("another magic", text: "XYZ", "PRESENT", header, "{}"),
        Garbage("a later version", .version, text: "EB2", "PRESENT", header, "{}"),
    ]

    private static let verbs: [Garbage] = [
        Garbage("no verb", .version, text: "EB1", "SING", header, "{}"),
        Garbage("a verb in lower case", .version, text: "EB1", "present", header, "{}"),
        Garbage("a parent's verb", .notYours, text: "EB1", "STATE", "", "{}"),
        Garbage("no id", text: "EB1", "AWAIT", "wait-ms: 1\n", ""),
    ]

    private static let headers: [Garbage] = [
        Garbage("no colon", header: "id 1\n"),
        Garbage("a name twice", header: header + "path: x\n"),
        Garbage(
            "a header that is too long", .tooLarge,
            header: header + "x: " + String(repeating: "y", count: 9_000)),
        Garbage(
            "no UTF-8", .malformed, [Frame("EB1".utf8), Frame("PRESENT".utf8), [0xFF, 0xFE], []]),
    ]

    private static let payloads: [Garbage] = [
        Garbage("an empty report", payload: ""),
        Garbage("an array", payload: "[]"),
        Garbage("a report that is cut off", payload: #"{"domain":"d","#),
        Garbage("a key twice", payload: #"{"domain":"d","domain":"d","description":"x"}"#),
        Garbage("half a surrogate pair", payload: #"{"domain":"d","description":"\ud800"}"#),
        Garbage(
            "nesting of 100 000",
            payload: #"{"domain":"d","description":"x","userInfo":"#
                + String(repeating: "[", count: 100_000)),
    ]
}
