@testable import ErrorBus

/// A process: it starts, dies at any action, is frozen, thaws, and starts again as a new life that
/// remembers only what was on disk. Subclasses are the roles.
class SimulatedNode {
    let planned: Plan.Node
    unowned let world: World
    private(set) var life = 0
    private(set) var isUp = false
    private(set) var isFrozen = false
    /// How far the wall clock is off. Nothing but the making of ids may see it.
    var wallOffset: Int64 = 0
    var uplink: UplinkDriver?
    var downlink: DownlinkDriver?

    private var backlog: [() -> Void] = []
    private var actionsUntilDeath: Int?
    private var downFor: UInt64 = 0
    private static let backlogMax = 2_000
    /// The longest step between two tasks.
    static let hopMax: UInt64 = 20

    var name: NodeName { planned.name }

    static func make(_ planned: Plan.Node, in world: World) -> SimulatedNode {
        switch planned.role {
        case .presenter: PresenterNode(planned, in: world)
        case .relay: RelayNode(planned, in: world)
        case .origin: OriginNode(planned, in: world)
        case .requester: ClientNode(planned, in: world) { RequestCall($0, $1) }
        case .bare: ClientNode(planned, in: world) { BareCall($0, $1) }
        }
    }

    init(_ planned: Plan.Node, in world: World) {
        self.planned = planned
        self.world = world
    }

    // MARK: For subclasses

    /// A new life begins.
    func began() {}
    /// Going down in order.
    func stopping() {
        downlink?.stop()
        uplink?.stop()
    }
    /// What was in memory is gone.
    func lostMemory() {}
    func received(_ packet: Packet, from peer: PeerID) { downlink?.received(packet, from: peer) }
    func present(_ presentation: Plan.Presentation, number: Int) {}
    /// Nothing is open here.
    var isQuiet: Bool { (uplink?.isQuiet ?? true) && (downlink?.isQuiet ?? true) }
    /// What is still open, for a report.
    var openText: String { "" }

    // MARK: Life

    func start() {
        guard !isUp else { return }
        life += 1
        isUp = true
        world.ledger.note(.started(name, life: life))
        began()
    }

    func crash(afterActions actions: Int, downFor: UInt64) {
        guard isUp, !world.isHealed else { return }
        actionsUntilDeath = actions
        self.downFor = downFor
        // Idle processes die too.
        after(2_000) { [self] in if actionsUntilDeath != nil { die() } }
    }

    /// One more action of a machine is about to be done. False: the process died instead.
    func mayAct() -> Bool {
        guard isUp else { return false }
        guard let left = actionsUntilDeath else { return true }
        actionsUntilDeath = left - 1
        if left > 0 { return true }
        die()
        return false
    }

    /// At once, in the middle of whatever it does.
    func die() {
        guard isUp else { return }
        world.network.processDied(self)
        forget()
    }

    func shutDown(downFor: UInt64) {
        guard isUp, !isFrozen, !world.isHealed else { return }
        self.downFor = downFor
        stopping()
        guard isUp else { return }
        let life = life
        // What was sent last still goes out.
        world.scheduler.after(500) { [self] in
            if self.life == life { world.network.processDied(self) }
        }
        downFor < 600 ? self.downFor = 600 : ()
        forget()
    }

    private func forget() {
        world.ledger.note(.died(name, life: life))
        isUp = false
        isFrozen = false
        actionsUntilDeath = nil
        backlog = []
        uplink = nil
        downlink = nil
        lostMemory()
        world.scheduler.after(downFor) { [self] in start() }
    }

    // MARK: Time

    /// Later, unless this life is over by then.
    func after(_ delay: UInt64, _ action: @escaping () -> Void) {
        let life = life
        world.scheduler.after(delay) { [self] in
            guard self.life == life, isUp else { return }
            if isFrozen { backlog.append(action) } else { action() }
        }
    }

    /// A step between two tasks of the process.
    func hop(_ action: @escaping () -> Void) {
        after(world.random.happens(0.8) ? 0 : world.random.number(in: 1...Self.hopMax), action)
    }

    /// Something came from outside; a frozen process finds it later.
    func perform(inLife life: Int, _ action: @escaping () -> Void) {
        guard self.life == life, isUp else { return }
        guard isFrozen else { return action() }
        if backlog.count < Self.backlogMax {
            backlog.append { [self] in if self.life == life, isUp { action() } }
        }
    }

    func freeze(lasts: UInt64) {
        guard isUp, !isFrozen, !world.isHealed else { return }
        isFrozen = true
        let life = life
        world.scheduler.after(lasts) { [self] in if self.life == life { thaw() } }
    }

    private func thaw() {
        guard isFrozen else { return }
        isFrozen = false
        while !backlog.isEmpty, isUp, !isFrozen { backlog.removeFirst()() }
    }

    func healed() {
        actionsUntilDeath = nil
        if isUp { thaw() } else { world.scheduler.after(1_000) { [self] in start() } }
    }
}
