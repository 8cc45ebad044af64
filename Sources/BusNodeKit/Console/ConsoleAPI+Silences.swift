import ErrorBus
import Foundation
import Hummingbird

// Silences.
extension ConsoleAPI {
    /// The permissions that a silence needs to answer: its option may be destructive in a later
    /// presentation.
    private static let answering: [ConsolePermission] = [.answer, .destructive]
    private static let durationRange = Int64(1_000)...Int64(30 * 86_400_000)

    var silenceList: JSONValue {
        let now = Moment.now
        return [
            "isKept": .bool(console.silences.isKept),
            "silences": console.silences.silences.all.map { SilenceView($0, at: now) }.json,
        ]
    }

    func addSilence(_ body: [UInt8], _ visitor: ConsoleVisitor) async throws -> Response {
        let fields = try BodyFields(
            body, allowing: "match", "by", "comment", "forMilliseconds", "option", "alsoOpen")
        let pattern = Self.nested(try fields.value("match"))
        let request = Silence.Request(
            pattern: pattern, match: try Self.match(pattern),
            option: try Self.option(in: fields),
            onlyWithholds: !Self.answering.allSatisfy(visitor.may),
            by: try visitor.name(in: fields),
            comment: try fields.text("comment", upTo: ConsoleLimits.commentScalarMax))
        if request.option != nil {
            for permission in Self.answering {
                try visitor.require(
                    permission,
                    to: "make a silence that answers; without option it withholds errors")
            }
        }
        guard let time = try fields.integer("forMilliseconds", in: Self.durationRange) else {
            throw APIProblem.badRequest("forMilliseconds: found nothing; allowed: a whole number")
        }
        let alsoOpen = try fields.bool("alsoOpen") ?? false
        do {
            let (silence, applied) = try await console.silences.add(
                request, for: .milliseconds(time), alsoOpen: alsoOpen, clock: clock)
            console.note(.silence(silence), by: silence.request.by)
            let reply: [String: JSONValue] = ["silence": SilenceView(silence, at: .now).json]
            return Response(.object(reply.merging(applied.reply) { $1 }))
        } catch {
            throw Self.problem(error)
        }
    }

    func previewSilence(_ body: [UInt8], _ visitor: ConsoleVisitor) async throws -> Response {
        let fields = try BodyFields(body, allowing: "match", "option")
        let pattern = try fields.value("match")
        let request = Silence.Request(
            pattern: pattern, match: try Self.match(pattern), option: try Self.option(in: fields),
            onlyWithholds: !Self.answering.allSatisfy(visitor.may), by: "", comment: "")
        do {
            let (open, applied) = try await console.silences.preview(request)
            let reply: [String: JSONValue] = [
                "open": .count(open.count),
                "ids": .array(
                    open.prefix(ConsoleLimits.idCountMax).map { .string($0.id.description) }),
            ]
            return Response(.object(reply.merging(applied.json) { $1 }))
        } catch {
            throw Self.problem(error)
        }
    }

    private static func option(in fields: BodyFields) throws -> String? {
        fields["option"] == nil ? nil : try fields.text("option")
    }

    func endSilence(
        _ text: String, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) async throws -> Response {
        let by = try visitor.name(in: try BodyFields(body, allowing: "by"))
        guard let number = Int(text) else {
            throw APIProblem(.notFound, "unknownSilence", "no silence \(text.shown()) here")
        }
        do {
            let silence = try await console.silences.end(number, by: by)
            console.note(.silenceEnd(silence), by: by)
            return Response(SilenceView(silence, at: .now).json)
        } catch {
            throw Self.problem(error)
        }
    }

    /// `userInfo.FIELD` as a field of `userInfo`, so that a pattern has one form for display.
    private static func nested(_ pattern: JSONValue) -> JSONValue {
        guard case .object(var fields) = pattern else { return pattern }
        var userInfo = fields["userInfo"]?.objectValue ?? [:]
        let prefix = "userInfo."
        for (key, value) in fields where key.hasPrefix(prefix) {
            // A pattern in both forms is refused when it is read.
            guard userInfo[String(key.dropFirst(prefix.count))] == nil else { return pattern }
            userInfo[String(key.dropFirst(prefix.count))] = value
            fields[key] = nil
        }
        if !userInfo.isEmpty { fields["userInfo"] = .object(userInfo) }
        return .object(fields)
    }

    private static func match(_ pattern: JSONValue) throws(APIProblem) -> RuleMatch {
        // Each is kept, compared with each error, and in each list.
        let byteCount = pattern.encoded().count
        guard byteCount <= ConsoleLimits.matchByteMax else {
            throw .badRequest(
                "match: found \(byteCount) bytes; allowed: at most \(ConsoleLimits.matchByteMax)")
        }
        let match: RuleMatch
        do throws(ConfigurationProblem) {
            match = try RuleMatch(json: pattern)
        } catch {
            let hint = error.hint.map { "; \($0)" } ?? ""
            throw .badRequest(
                "\(error.field): found \(error.found); allowed: \(error.allowed)\(hint)")
        }
        guard match != RuleMatch() else { throw APIProblem(SilenceRefusal.matchesEverything) }
        return match
    }

    private static func problem(_ error: any Error) -> APIProblem {
        if let problem = error as? APIProblem { return problem }
        if let refusal = error as? SilenceRefusal { return APIProblem(refusal) }
        return APIProblem(
            .internalServerError, "notStored",
            "the journal cannot be written: \(ErrorReport(describing: error).description)")
    }
}

extension SilenceView {
    init(_ silence: Silence, at now: Moment) {
        number = silence.number
        match = silence.request.pattern
        option = silence.request.option
        onlyWithholds = silence.request.onlyWithholds
        by = silence.request.by
        comment = silence.request.comment
        createdAt = TimeText.text(silence.createdAt.date)
        endsAt = TimeText.text(silence.endsAt.date)
        stage = silence.isActive(at: now) ? "active" : "ended"
        endedBy = silence.endedBy
        answered = silence.answeredCount
        withheld = silence.withheldCount
        lastAt = silence.lastAt.map { TimeText.text($0.date) }
    }
}
