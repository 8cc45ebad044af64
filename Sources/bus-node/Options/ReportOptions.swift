import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Glibc

/// An error report from options, or from a file changed by options.
struct ReportOptions: ParsableArguments {
    @Option(help: "A report as JSON; - reads standard input. Other options change it.")
    var report: String?

    @Option(help: "The namespace of the code, as reverse DNS.")
    var domain: String?

    @Option(parsing: .unconditional, help: "The error's number within its domain.")
    var code: Int?

    @Option(parsing: .unconditional, help: "One sentence: what went wrong.")
    var description: String?

    @Option(parsing: .unconditional, help: "Why it went wrong.")
    var reason: String?

    @Option(parsing: .unconditional, help: "What can be done about it.")
    var suggestion: String?

    @Option(help: "Where to read more.")
    var helpAnchor: String?

    @Option(help: "debug, info, warning, error or critical.")
    var severity: String?

    @Option(name: .customLong("info"), help: "A fact for userInfo, as KEY=VALUE. Repeatable.")
    var info: [String] = []

    @Option(
        name: .customLong("option"),
        help: """
            A choice, as ID=TITLE[:default|cancel|destructive][:signed][:two]. Repeatable, in \
            order. With signed only a signer of the topology can choose it, with two only two \
            people together.
            """)
    var options: [String] = []

    @Option(
        name: .customLong("field"),
        help: """
            A value that an option asks for, as OPTION.NAME=LABEL, then :text (the default), \
            :number, :boolean, :secret or :choice(A,B), and :optional or :default(VALUE); a number \
            takes :min(N), :max(N) and :whole, a text or secret :minLength(N), :maxLength(N) and \
            :pattern(PATTERN), a text with * for any run of characters, or a /REGEX/. Repeatable, \
            in order.
            """)
    var fields: [String] = []

    @Option(help: "Errors of one domain with equal keys may share one prompt.")
    var coalesceKey: String?

    @Option(help: "The id of the option that is applied when no answer comes in time.")
    var onExpiry: String?

    func errorReport() throws -> ErrorReport {
        if let description, description.allSatisfy(\.isWhitespace) {
            throw Failure(
                .usage, "--description: found \"\(description)\", allowed: a sentence")
        }
        var result = try base()
        if let domain { result.domain = domain }
        if let code { result.code = code }
        if let description { result.description = description }
        if let reason { result.failureReason = reason }
        if let suggestion { result.recoverySuggestion = suggestion }
        if let helpAnchor { result.helpAnchor = helpAnchor }
        if let coalesceKey { result.coalesceKey = coalesceKey }
        if let severity {
            guard let value = Severity(rawValue: severity) else {
                let words = Severity.allCases.map(\.rawValue)
                let hint = Suggestion.hint(for: severity, among: words).map { "; \($0)" } ?? ""
                throw Failure(
                    .usage,
                    "--severity: found \"\(severity)\", allowed: "
                        + words.joined(separator: ", ") + hint)
            }
            result.severity = value
        }
        var keys: Set<String> = []
        for fact in info {
            guard let equals = fact.firstIndex(of: "="), equals > fact.startIndex else {
                throw Failure(.usage, "--info: found \"\(fact)\", allowed: KEY=VALUE")
            }
            guard keys.insert(String(fact[..<equals])).inserted else {
                throw Failure(.usage, "--info: found \"\(fact)\", allowed: each KEY once")
            }
            result.userInfo[String(fact[..<equals])] =
                .string(String(fact[fact.index(after: equals)...]))
        }
        if !options.isEmpty { result.options = try options.map(Self.option) }
        for text in fields { try Self.add(text, to: &result) }
        if let onExpiry { result.onExpiry = try offered(onExpiry, in: result) }
        // Parsed again, so that a report which every node would refuse is refused here, with the
        // field.
        do throws(ReportError) {
            return try ErrorReport(payload: result.payload())
        } catch {
            throw Failure(.badData, "report: \(error)")
        }
    }

    /// Adds a field, `OPTION.NAME=LABEL...`: an option's id may have dots, a field's name has none.
    private static func add(_ text: String, to report: inout ErrorReport) throws {
        let before = text.prefix { $0 != "=" }
        guard let dot = before.lastIndex(of: "."), before.endIndex < text.endIndex else {
            throw Failure(
                .usage, "--field: found \"\(text)\", allowed: OPTION.\(FieldText.allowed)")
        }
        let id = String(text[..<dot])
        guard let index = report.options.firstIndex(where: { $0.id == id }) else {
            let ids = report.options.map(\.id).joined(separator: ", ")
            let allowed =
                ids.isEmpty
                ? "an option of this report, which has none; give --option \(id.shown())=TITLE"
                : "one of the options (\(ids.shown()))"
            throw Failure(.usage, "--field: found \"\(id.shown())\", allowed: \(allowed)")
        }
        let rest = String(text[text.index(after: dot)...])
        let field = try FieldText(rest, option: "--field", of: id).field()
        report.options[index].fields.append(field)
        try FieldText.check(report.options[index].fields, option: "--field")
    }

    private func offered(_ option: String, in report: ErrorReport) throws -> String {
        let offered = report.options.map(\.id)
        guard offered.contains(option) else {
            throw Failure(
                .usage,
                "--on-expiry: found \"\(option)\", allowed: "
                    + (offered.isEmpty ? "none without options" : offered.joined(separator: ", ")))
        }
        return option
    }

    private func base() throws -> ErrorReport {
        guard let report else {
            guard let description else {
                throw Failure(
                    .usage, "nothing to present: give --description TEXT or --report FILE")
            }
            return ErrorReport(domain: "bus-node.present", description: description)
        }
        return try ReportFile.read(report)
    }

    private static let allowedOption = "ID=TITLE[:default|cancel|destructive][:signed][:two]"

    /// Reads `ID=TITLE[:role]...[:signed][:two]`; a title may contain colons, but not end in one
    /// and a word that could be a role.
    static func option(_ text: String) throws -> ErrorReport.Option {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw Failure(
                .usage,
                "--option: found \"\(text)\", allowed: \(allowedOption)")
        }
        var title = text[text.index(after: equals)...]
        var roles: [ErrorReport.Option.Role] = []
        var (needsSignature, needsTwoPeople) = (false, false)
        while let colon = title.lastIndex(of: ":") {
            let word = String(title[title.index(after: colon)...])
            if let role = ErrorReport.Option.Role(rawValue: word) {
                roles.append(role)
            } else if word == "signed" {
                needsSignature = true
            } else if word == "two" {
                needsTwoPeople = true
            } else {
                break
            }
            title = title[..<colon]
        }
        guard !title.allSatisfy(\.isWhitespace) else {
            throw Failure(
                .usage,
                "--option: found \"\(text)\", which has no title, allowed: "
                    + allowedOption)
        }
        if let colon = title.lastIndex(of: ":") {
            let last = title[title.index(after: colon)...]
            guard last.isEmpty || !last.allSatisfy({ $0.isASCII && $0.isLowercase }) else {
                throw Failure(
                    .usage,
                    "--option: found \"\(text)\" with the role \"\(last)\", allowed: default, "
                        + "cancel, destructive, signed or two; a title that ends in :\(last) goes "
                        + "into a report (--report FILE)")
            }
        }
        let role = roles.first { $0 != .default } ?? roles.first
        var option = ErrorReport.Option(
            id: String(text[..<equals]),
            title: String(title),
            role: role, isDeclaredDefault: roles.contains(.default))
        option.needsSignature = needsSignature
        option.needsTwoPeople = needsTwoPeople
        return option
    }
}

/// A report from a file, or from standard input.
enum ReportFile {
    /// - Parameter path: `-` for standard input.
    static func read(_ path: String) throws -> ErrorReport {
        let bytes = try bytes(path)
        do throws(ReportError) {
            return try ErrorReport(payload: bytes)
        } catch {
            throw Failure(.badData, "\(path == "-" ? "standard input" : path): \(error)")
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let limit = JSONLimits.report.byteCount + 1
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle else {
            throw Failure(.noInput, "\(path): \(String(cString: strerror(errno)))")
        }
        do {
            return [UInt8](try handle.read(upToCount: limit) ?? Data())
        } catch {
            throw Failure(.noInput, "\(path): cannot be read")
        }
    }
}

/// A point in time given on the command line.
enum MomentOption {
    /// Reads RFC 3339, as in `2026-11-21T09:30:00Z`; nil means now.
    static func date(_ text: String?, option: String) throws -> Date {
        guard let text else { return Date() }
        guard let date = TimeText.read(text) else {
            throw Failure(
                .usage, "\(option): found \"\(text.shown())\", allowed: \(TimeText.allowed)")
        }
        return date
    }
}
