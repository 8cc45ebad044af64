import ErrorBus

/// An inbox, and the people in front of it: they answer after a while, claim first, take answers
/// back, and answer groups.
// Unchecked: see Scheduler.
final class People: Presenter, @unchecked Sendable {
    let presenterName: String
    let inbox: Inbox
    private let world: World
    private let life: Life
    /// What is in front of them, by the number of the prompt.
    private var open: [Int: PresentationID] = [:]
    private var promptCount = 0

    init(_ name: String, _ life: Life, _ world: World, limits: InboxLimits) {
        presenterName = name
        inbox = Inbox(name, limits: limits)
        self.life = life
        self.world = world
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        promptCount += 1
        let number = promptCount
        guard !life.isOver else { return nil }
        show(prompt, number)
        let answer = try await inbox.present(prompt)
        hide(number)
        return answer
    }

    private func show(_ prompt: Prompt, _ number: Int) {
        world.scheduler.note("shown \(prompt.id) to \(presenterName) \(number)")
        if open.values.contains(prompt.id) {
            world.ledger.doublePrompts.append((prompt.id, presenterName))
        }
        open[number] = prompt.id
        world.ledger.offered[prompt.id, default: []].formUnion(prompt.report.options.map(\.id))
        world.ledger.prompts[prompt.id, default: 0] += 1
        think(about: prompt.id)
    }

    private func hide(_ number: Int) {
        guard let id = open.removeValue(forKey: number) else { return }
        world.scheduler.note("hidden \(id) from \(presenterName) \(number)")
        world.ledger.prompts[id, default: 1] -= 1
    }

    /// The process is gone, and its screens with it.
    func died() {
        for number in open.keys.sorted() { hide(number) }
    }

    /// Until it has ended: what is held back may be taken back.
    private func think(about id: PresentationID) {
        let scheduler = world.scheduler
        scheduler.after(scheduler.random.number(100...world.thinkingMax)) { [self] in
            guard !life.isOver, let item = try? inbox.item(id) else { return }
            switch item.stage {
            case .open, .claimed: act(on: item)
            case .leaving: break
            case .answered, .settled, .closed: return
            }
            think(about: id)
        }
    }

    private func act(on item: InboxItem) {
        let scheduler = world.scheduler
        let option = scheduler.random.pick(item.report.options.map(\.id))
        // What is refused has ended, or is another person's: it is looked at again either way.
        switch scheduler.random.index(below: 10) {
        case 0: break
        case 1:
            let person = scheduler.random.pick(["ann", "bob"])
            _ = try? inbox.claim(item.id, by: person, for: .seconds(20))
        case 2:
            _ = try? inbox.answer(item.id, option: option, by: "ann", undo: .seconds(5))
            guard scheduler.random.happens(0.5) else { return }
            scheduler.after(scheduler.random.number(0...6_000)) { [self] in
                if !life.isOver { _ = try? inbox.undo(item.id) }
            }
        case 3:
            _ = try? inbox.answerGroup(item.group, option: option, by: "ann")
        default:
            _ = try? inbox.answer(item.id, option: option, by: "ann")
        }
    }
}
