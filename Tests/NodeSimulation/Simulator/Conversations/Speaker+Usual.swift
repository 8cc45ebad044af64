import ErrorBus

// What peers say in many scripts.
extension Speaker {
    /// HELLO.
    func greet(_ from: String? = nil, boot: String = "01") {
        say("HELLO", "from: \(from ?? name)", "boot: \(boot)", "versions: EB1")
    }

    /// Of a parent: ACCEPTED of this PRESENT.
    func accept(_ present: Said) {
        say("ACCEPTED", "id: \(present["id"] ?? "")", "attempt: \(present["attempt"] ?? "")")
    }

    /// AWAIT.
    func await(_ id: PresentationID, wait: UInt64? = nil) {
        say("AWAIT", ["id: \(id)"] + (wait.map { ["wait-ms: \($0)"] } ?? []))
    }

    /// SETTLED; with an origin also the digest of the usual report.
    func settle(
        _ id: PresentationID, _ answer: some CustomStringConvertible, _ result: String,
        origin: String? = nil, digest: String = Talk.digest()
    ) {
        let asked = origin.map { ["origin: \($0)", "digest: \(digest)"] } ?? []
        say("SETTLED", ["id: \(id)", "answer: \(answer)", "result: \(result)"] + asked)
    }

    /// WITHDRAW; with an origin also the digest of the usual report.
    func withdraw(
        _ id: PresentationID, _ reason: String? = nil, origin: String? = nil,
        digest: String = Talk.digest()
    ) {
        let asked = origin.map { ["origin: \($0)", "digest: \(digest)"] } ?? []
        say("WITHDRAW", ["id: \(id)"] + (reason.map { ["reason: \($0)"] } ?? []) + asked)
    }

    /// PING gets PONG at once: the node still serves this peer.
    func isServed(line: Int = #line) async throws {
        say("PING", "n: 77")
        try await hears("PONG", "n: 77", in: 2...2, line: line)
    }

    /// The node's status, which any peer may ask for.
    func status(line: Int = #line) async throws -> JSONValue {
        say("STATUS")
        let said = try await hears("STATE", line: line)
        do { return try JSONValue.parse(Array(said.payload.utf8)) } catch {
            throw Misspoken(description: "line \(line): STATE without a status")
        }
    }
}

extension Talk {
    /// At a node with people: a child presents an error, people see it, and the child hears that.
    @discardableResult
    func shown(
        _ number: Int = 1, by child: Speaker, origin: String? = nil, _ fields: String...,
        report: String = Talk.report, line: Int = #line
    ) async throws -> PresentationID {
        let id = id(number)
        child.present(id, fields, origin: origin, report: report)
        try await desk.shows(id, line: line)
        try await child.hears("ACCEPTED", "id: \(id)", line: line)
        try await child.hears(
            "PENDING", "id: \(id)", "state: presented", "by: desk", line: line)
        return id
    }

    /// The same by a child whose error is shown already: it gets its reply at once.
    func joins(
        _ id: PresentationID, by child: Speaker, origin: String? = nil, _ fields: String...,
        line: Int = #line
    ) async throws {
        child.present(id, fields, origin: origin)
        try await child.hears("ACCEPTED", "id: \(id)", in: 2...2, line: line)
        try await child.hears("PENDING", "id: \(id)", "state: presented", in: 0...0, line: line)
    }

    /// At a node with a parent: a child presents an error, and both accept it.
    @discardableResult
    func relayed(
        _ number: Int = 1, by child: Speaker, origin: String? = nil, _ fields: String...,
        line: Int = #line
    ) async throws -> PresentationID {
        let id = id(number)
        child.present(id, fields, origin: origin)
        up.accept(try await up.hears("PRESENT", "id: \(id)", line: line))
        try await child.hears("ACCEPTED", "id: \(id)", line: line)
        return id
    }

    /// People answer what a child has asked, and the child gets the answer.
    @discardableResult
    func answered(
        _ id: PresentationID, _ option: String = "retry", to child: Speaker, line: Int = #line
    ) async throws -> String {
        let answer = try desk.answer(id, option, line: line)
        try await desk.hides(id, line: line)
        try await child.hears(
            "ANSWER", "id: \(id)", "answer: \(answer.id)", "option: \(option)", line: line)
        return "\(answer.id)"
    }

    /// The parent answers what a child has asked, and the child gets the answer.
    @discardableResult
    func passedDown(
        _ id: PresentationID, as number: Int = 9, to child: Speaker, line: Int = #line
    ) async throws -> String {
        up.answer(id, as: self.id(number))
        try await child.hears(
            "ANSWER", "id: \(id)", "answer: \(self.id(number))", "option: retry", "no did-recover",
            "digest: \(Talk.digest())", in: 2...2, line: line)
        return "\(self.id(number))"
    }

    /// Whether people see that the origin of a presentation can be reached.
    func showsOrigin(_ id: PresentationID, reachable: Bool, line: Int = #line) throws {
        let isReachable = try desk.item(id, line: line).isReachable
        try check(isReachable == reachable, "its origin is in reach: \(reachable)", line: line)
    }
}

extension Talk {
    /// One frame of JSON, as a client without a link sends it, with more keys.
    static func bare(_ id: PresentationID, _ more: String = "", code: Int = 7) -> String {
        """
        {"id": "\(id)", "domain": "simulation.talk", "code": \(code), "description": "Trouble.",
        "recoveryOptions": [{"id": "retry", "title": "Retry"},
        {"id": "skip", "title": "Skip", "role": "cancel"}]\(more.isEmpty ? "" : ", \(more)")}
        """
    }
}
