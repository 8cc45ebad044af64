import ErrorBus
import Foundation
import Hummingbird
import NIOHTTP1

/// The refusal of a request: a status, a code for scripts, a sentence for people.
struct APIProblem: RequestProblem {
    let status: HTTPResponse.Status
    let word: String
    let message: String
    var details: [String: JSONValue] = [:]
    /// Whether the connection is closed, because the rest of the request is not read.
    var closes = false
    /// The methods of the path, for a 405.
    var methods: [String] = []

    init(
        _ status: HTTPResponse.Status, _ word: String, _ message: String,
        details: [String: JSONValue] = [:]
    ) {
        self.status = status
        self.word = word
        self.message = message
        self.details = details
    }

    /// Whether people see such a refusal as they work: another act came first, or a value does not
    /// fit.
    var isOrdinary: Bool { [.conflict, .unprocessableContent].contains(status) }

    static func badRequest(_ message: String) -> APIProblem {
        APIProblem(.badRequest, "badRequest", message)
    }

    /// A text in place of a presentation's id, such as the end of an id, which lists show and
    /// commands take.
    static func noID(_ text: String) -> APIProblem {
        APIProblem(
            .notFound, "unknown",
            "no presentation \(text.shown()) here: give the whole id, of 36 characters")
    }

    static let tooLarge = {
        var problem = APIProblem(
            .contentTooLarge, "tooLarge",
            BodyRefusal.tooLarge(allowed: ConsoleLimits.bodyByteMax))
        problem.closes = true
        return problem
    }()

    /// The body's chunks or its end are malformed.
    static func brokenBody(_ error: any Error) -> APIProblem {
        var problem = badRequest(BodyRefusal.unreadable(error))
        problem.closes = true
        return problem
    }

    /// The input is no request.
    init(_ fault: HTTPParserError) {
        let found: String
        if fault == .headerOverflow {
            let (one, all) = (ConsoleLimits.headerByteMax, ConsoleLimits.headersByteMax)
            found =
                "the request's line or a header has more than \(one) bytes, or all of them have "
                + "more than \(all) or are more than \(ConsoleLimits.headerCountMax); allowed: at "
                + "most that"
        } else {
            found = "the request is no HTTP/1.1: \(fault)"
        }
        self.init(.badRequest, "malformed", found)
        closes = true
    }

    init(_ refusal: InboxRefusal) {
        let message = refusal.description
        switch refusal {
        case .unknown: self.init(.notFound, "unknown", message)
        case .unknownGroup: self.init(.notFound, "unknownGroup", message)
        case .notOffered(_, let offered):
            self.init(
                .unprocessableContent, "notOffered", message,
                details: ["offered": .array(offered.map { .string($0) })])
        case .cannotSign: self.init(.conflict, "cannotSign", message)
        case .needsTwoPeople: self.init(.conflict, "needsTwoPeople", message)
        case .badValue(_, let fault):
            self.init(
                .unprocessableContent, "badValue", message,
                details: [
                    "field": .string(fault.field), "found": .string(fault.found),
                    "expected": .string(fault.expected),
                ])
        case .proposed(let proposal), .otherProposal(let proposal):
            self.init(
                .conflict, "proposed", message,
                details: ["proposal": ProposalView(proposal).json])
        case .noProposal: self.init(.conflict, "noProposal", message)
        case .samePerson: self.init(.conflict, "samePerson", message)
        case .answered(let answer, let at):
            self.init(
                .conflict, "answered", message,
                details: [
                    "by": .string(answer.by), "option": .string(answer.option),
                    "via": .string(answer.via.rawValue), "at": .time(at.date),
                    "second": .text(answer.second),
                ])
        case .claimed(let by, let until):
            self.init(
                .conflict, "claimed",
                "claimed by \(by) until \(until.date.ISO8601Format()): claim it with `takeOver` "
                    + "first",
                details: ["by": .string(by), "until": .time(until.date)])
        case .closed(let reason, let at):
            self.init(
                .conflict, "closed", message,
                details: ["reason": .string(reason.rawValue), "at": .time(at.date)])
        case .nothingToUndo: self.init(.conflict, "nothingToUndo", message)
        case .takenBack: self.init(.conflict, "takenBack", message)
        case .tooManyNotes(let allowed):
            self.init(.conflict, "tooMany", message, details: ["allowed": .count(allowed)])
        case .otherAnswer(let by):
            self.init(.conflict, "otherAnswer", message, details: ["by": .string(by)])
        case .otherNote(let by):
            self.init(.conflict, "otherNote", message, details: ["by": .string(by)])
        case .tooLong: self.init(.badRequest, "tooLong", message)
        }
    }

    init(_ refusal: NotifyRefusal) {
        switch refusal {
        case .unknown: self.init(.notFound, "unknownLetter", refusal.description)
        case .noHook: self.init(.conflict, "noHook", refusal.description)
        case .full: self.init(.conflict, "tooMany", refusal.description)
        }
    }

    init(_ refusal: SilenceRefusal) {
        let message = refusal.description
        switch refusal {
        case .unknown: self.init(.notFound, "unknownSilence", message)
        case .ended(_, let at):
            self.init(.conflict, "ended", message, details: ["at": .time(at.date)])
        case .matchesEverything, .notOffered: self.init(.badRequest, "badRequest", message)
        case .tooMany: self.init(.conflict, "tooMany", message)
        case .tooCostly, .tooManyOpen: self.init(.badRequest, "tooCostly", message)
        case .duration: self.init(.badRequest, "tooLong", message)
        }
    }

    var json: JSONValue {
        .object(details.merging(["error": .string(word), "message": .string(message)]) { $1 })
    }

    var response: Response {
        var response = Response(json, status: status)
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if !methods.isEmpty { response.headers[.allow] = methods.joined(separator: ", ") }
        if closes { response.headers[.connection] = "close" }
        return response
    }
}

extension Response {
    init(_ json: JSONValue, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: Self.body(json)))
    }

    static func body(_ json: JSONValue) -> ByteBuffer {
        // A person who reads it with curl sees no control characters of a peer.
        ByteBuffer(
            bytes: JSONEscapes.escapingInvisible(in: json.encoded()) + [UInt8(ascii: "\n")])
    }
}

/// The refusals of a request's body, in words.
package enum BodyRefusal {
    package static func tooLarge(allowed byteCount: Int) -> String {
        "body: found more than \(byteCount) bytes; allowed: at most that"
    }

    package static func unreadable(_ error: any Error) -> String {
        "body: cannot be read: \(error)"
    }
}
