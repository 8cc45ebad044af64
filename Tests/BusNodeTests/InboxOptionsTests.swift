import ArgumentParser
import ErrorBus
import Testing

@testable import BusNodeKit
@testable import bus_node

@Suite("Options of the inbox's commands")
struct InboxOptionsTests {
    @Test("A list without a stage is of the open, or of all for a condition on an end or an answer")
    func stage() throws {
        func stage(_ arguments: [String], _ conditions: [String: String]) throws
            -> InboxListing.Stage
        {
            try InboxListing.parse(arguments).listedStage(matching: conditions)
        }
        for conditions in [[:], ["by": "ann"], ["end": ""]] as [[String: String]] {
            #expect(try stage([], conditions) == .open)
        }
        for name in ["end", "option"] {
            #expect(try stage([], ["by": "ann", name: "x"]) == .all)
            #expect(try stage(["--stage", "open"], [name: "x"]) == .open)
            #expect(try stage(["--stage", "ended"], [name: "x"]) == .ended)
        }
    }

    @Test("A list in an order of the page is of the open", arguments: InboxSort.allCases)
    func sort(sort: InboxSort) throws {
        #expect(try InboxList.parse(["--sort", sort.rawValue]).sort == sort)
        let listing = try InboxListing.parse([])
        #expect(try listing.listedStage(in: sort, matching: ["by": "ann"]) == .open)
        #expect(try listing.listedStage(in: nil, matching: ["end": "failed"]) == .all)
        let failure = #expect(throws: Failure.self) {
            try listing.listedStage(in: sort, matching: ["end": "failed"])
        }
        #expect(failure?.status == .usage)
        #expect(failure?.text.hasSuffix("has no such order: give --stage open") == true)
    }

    @Test("A claim lasts 5 minutes, or as long as the option says")
    func length() throws {
        #expect(try InboxClaim.parse(["1"]).length() == .seconds(300))
        #expect(try InboxClaim.parse(["1", "--release"]).length() == .seconds(300))
        #expect(try InboxClaim.parse(["1", "--for", "1h"]).length() == .seconds(3_600))
        for time in ["0s", "2h", "long"] {
            let failure = #expect(throws: Failure.self) {
                try InboxClaim.parse(["1", "--for", time]).length()
            }
            #expect(
                failure?.text == "--for: found \"\(time)\", allowed: 1ms to 1h, as a whole number "
                    + "and ms, s, m, h or d")
        }
    }

    @Test(
        "What a release would ignore is refused",
        arguments: [["--for", "1m"], ["--take-over"], ["--hand-to", "cy"]])
    func release(given: [String]) {
        let failure = #expect(throws: Failure.self) {
            try InboxClaim.parse(["1", "--release"] + given).length()
        }
        #expect(
            failure?.text == "\(given[0]): not allowed with --release, which ends the claim")
        #expect(failure?.status == .usage)
    }

    @Test("A key of a silence that is given twice matches either pattern")
    func pattern() throws {
        let pattern = try InboxSilenceAdd.pattern(["domain=com.a*", "code=7", "domain=net=x"])
        #expect(pattern == ["domain": ["com.a*", "net=x"], "code": ["7"]])
        for texts in [[], ["domain"], ["=x"]] as [[String]] {
            let failure = #expect(throws: Failure.self) { try InboxSilenceAdd.pattern(texts) }
            #expect(failure?.status == .usage)
        }
    }

    @Test("The times of a search are sent in the written form, any other text as it is")
    func times() throws {
        let search = try FilterOptions.parse([
            "--since", "2026-11-21T10:00:00Z", "--until", "2026-11-22T10:00:00Z", "--by", "1h",
        ])
        #expect(
            search.given == [
                "since": "2026-11-21T10:00:00.000Z", "until": "2026-11-22T10:00:00.000Z",
                "by": "1h",
            ])
        #expect(try FilterOptions.parse(["--until", "soon"]).given == ["until": "soon"])
    }

    @Test("The last line for a group names what was done")
    func summary() throws {
        for (arguments, done) in [
            ([], "claimed"), (["--release"], "released"), (["--hand-to", "cy"], "handed to cy"),
        ] as [([String], String)] {
            let claim = try InboxClaim.parse(["1"] + arguments)
            #expect(claim.summary(changed: 2, refused: 1) == "2 \(done), 1 refused")
        }
    }
}
