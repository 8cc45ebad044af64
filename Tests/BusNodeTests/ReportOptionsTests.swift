import ArgumentParser
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore
@testable import bus_node

struct ReportOptionsTests {
    @Test(
        "An option is ID=TITLE and roles",
        arguments: [
            ("retry=Retry", "retry", "Retry", nil, false),
            ("retry=Retry:default", "retry", "Retry", "default", true),
            ("no=Cancel:cancel", "no", "Cancel", "cancel", false),
            ("wipe=Wipe:destructive:default", "wipe", "Wipe", "destructive", true),
            ("wipe=Wipe:default:destructive", "wipe", "Wipe", "destructive", true),
            ("at=At 10:30", "at", "At 10:30", nil, false),
            ("eq=a=b", "eq", "a=b", nil, false), ("why=Why: no", "why", "Why: no", nil, false),
            ("end=End:", "end", "End:", nil, false),
        ] as [(String, String, String, String?, Bool)])
    func option(text: String, id: String, title: String, role: String?, isDefault: Bool) throws {
        let option = try ReportOptions.option(text)
        #expect(option.id == id)
        #expect(option.title == title)
        #expect(option.role?.rawValue == role)
        #expect(option.isDeclaredDefault == isDefault)
    }

    @Test("An option may need a signature, wherever the word stands")
    func signed() throws {
        for text in ["wipe=Wipe:signed:destructive", "wipe=Wipe:destructive:signed"] {
            let option = try ReportOptions.option(text)
            #expect(option.needsSignature && option.title == "Wipe" && option.role == .destructive)
        }
        #expect(try !ReportOptions.option("sign=Get it signed").needsSignature)
    }

    @Test("An option may need two people; a word that is nearly that one is refused")
    func twoPeople() throws {
        let option = try ReportOptions.option("wipe=Wipe:destructive:signed:two")
        #expect(option.needsTwoPeople && option.needsSignature && option.title == "Wipe")
        #expect(try !ReportOptions.option("two=For two").needsTwoPeople)
        #expect(throws: Failure.self) { try ReportOptions.option("wipe=Wipe:tow") }
    }

    private func status(_ arguments: [String]) throws -> BusNodeKit.ExitStatus? {
        do {
            _ = try ReportOptions.parse(arguments).errorReport()
            return nil
        } catch let failure as Failure {
            return failure.status
        }
    }

    @Test(
        "An invalid option is refused by its kind",
        arguments: [
            ([], .usage), (["--description", "x", "--option", "nothing"], .usage),
            (["--description", "x", "--option", "=x"], .usage),
            (["--description", "x", "--option", "a=A:foo"], .usage),
            (["--description", "x", "--option", "a=A:cancle:default"], .usage),
            (["--description", "x", "--option", "a="], .usage),
            (["--description", "x", "--option", "a=:cancel"], .usage),
            (["--description", ""], .usage), (["--description", " "], .usage),
            (["--description", "x", "--info", "a=1", "--info", "a=2"], .usage),
            (["--description", "x", "--info", "novalue"], .usage),
            (["--description", "x", "--severity", "loud"], .usage),
            (["--description", "x", "--option", "a=A", "--option", "a=B"], .badData),
            (["--report", "/no/such/file"], .noInput), (["--report", "/"], .noInput),
        ] as [([String], BusNodeKit.ExitStatus)])
    func refused(arguments: [String], expected: BusNodeKit.ExitStatus) throws {
        #expect(try status(arguments) == expected)
    }

    @Test(
        "The refusal of a severity suggests the word that is meant",
        arguments: [
            ("warn", "; did you mean \"warning\"?"), ("eror", "; did you mean \"error\"?"),
            ("loud", ""),
        ])
    func severity(text: String, hint: String) throws {
        let options = try ReportOptions.parse(["--description", "x", "--severity", text])
        let failure = #expect(throws: Failure.self) { try options.errorReport() }
        #expect(
            failure?.text == "--severity: found \"\(text)\", allowed: debug, info, warning, "
                + "error, critical" + hint)
    }

    @Test("Every option is in the report")
    func complete() throws {
        let report = try ReportOptions.parse([
            "--domain", "d", "--code", "-3", "--description", "x", "--reason", "r",
            "--suggestion", "s", "--help-anchor", "h", "--severity", "critical", "--info", "k=v=w",
            "--option", "a=A", "--coalesce-key", "c",
        ]).errorReport()
        #expect(report.coalesceKey == "c")
        #expect(report.domain == "d")
        #expect(report.code == -3)
        #expect(report.failureReason == "r")
        #expect(report.recoverySuggestion == "s")
        #expect(report.helpAnchor == "h")
        #expect(report.severity == .critical)
        #expect(report.userInfo == ["k": "v=w"])
        #expect(report.options.map(\.id) == ["a"])
    }
}
