import ErrorBus

extension Plan {
    /// One of two presenters that are asked at once, and that does not always ask its people.
    struct Decliner {
        enum Way {
            /// It passes every other prompt on, or fails to show it.
            case declines
            /// Its people are asked, and it passes on what they leave to itself.
            case neglects
        }

        let name: String
        let way: Way
        let after: UInt64
    }

    /// After how long an inbox passes on what its people leave to itself.
    var dutyPatience: UInt64? {
        guard let decliner, decliner.way == .neglects else { return escalatesAfter }
        return decliner.after
    }

    /// Some people as they are asked in this world.
    func asked(_ people: People) -> any Presenter {
        guard let decliner, decliner.name == people.presenterName, decliner.way == .declines else {
            return people
        }
        return Declining(people: people, decliner: decliner)
    }
}

/// People who are not asked about every other prompt, since what asks them declines or fails.
struct Declining: Presenter {
    struct Unable: Error {}

    let people: People
    let decliner: Plan.Decliner

    var presenterName: String { people.presenterName }

    func present(_ prompt: Prompt) async throws -> Answer? {
        let number = prompt.id.value.low
        guard number.isMultiple(of: 2) else { return try await people.present(prompt) }
        await people.world.scheduler.sleep(decliner.after)
        if number.isMultiple(of: 4) { throw Unable() }
        return nil
    }
}
