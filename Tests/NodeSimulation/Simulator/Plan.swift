import ErrorBus

/// What a seed stands for: the processes, what is asked, and what goes wrong when. Times are
/// milliseconds from the start.
struct Plan {
    struct Process {
        let name: String
        let parents: [String]
        /// Adds an option of its own to what passes.
        var addsOption = false
        /// Its name on the bus, where that is another's as well.
        var nodeName: String?
        /// Not a node: it asks by single requests.
        var isRequester = false
        /// People are there who are asked when no parent has been there for this long.
        var presentsAfter: UInt64?
        /// The deadline of what has none.
        var deadline: UInt64?
        /// The node to which a rule of its passes one trouble on, instead of to its parents.
        var route: String?
    }

    struct Call {
        var time: UInt64
        var worker: String
        var deadline: UInt64?
        var onExpiry: String?
        /// The caller gives up this long after it asked.
        var cancelledAfter: UInt64?
        /// Asked again under the same id by the worker's next life.
        var isKept: Bool
        var attempt: UInt64
        var doesRecover: Bool
        /// Not a node's: one frame of JSON, sent to this process.
        var bareParent: String?
        /// The reply to its first request does not reach it.
        var losesReply = false
        /// How often the operation fails again that a recovery has repeated.
        var repeats: Int?
        /// How long its recovery may take, where that is less than ``Plan/attemptMax``.
        var limit: UInt64?
        /// The caller asks for the same once more after that time, in the same life.
        var asksAgainAfter: UInt64?
        /// How long an operation takes that is done again.
        var operationLasts: UInt64?
        /// The caller gives up just as so many of its recoveries have been carried out.
        var cancelledAtAttempt: Int?
        /// The caller gives up while its operation is done again for this time.
        var cancelledAtRepetition: Int?
    }

    enum Fault {
        case kill(String, downFor: UInt64)
        case stop(String, downFor: UInt64)
        case reset(Network.LinkID)
        case silence(Network.LinkID, [Network.Direction], lasts: UInt64?)
        case slowDisk(lasts: UInt64, latencyMax: UInt64 = 2_000)
        /// The clock on the wall is put forward or back, which nothing waits by.
        case wallClock(by: Int64)
        /// Its sockets and timers stand still.
        case freeze(String, lasts: UInt64)
        /// The presenter's people answer all that they have in front of them.
        case answers
    }

    /// How people go about what is in front of them.
    enum Manner {
        case any
        /// They give answers so that they can take them back, and seldom do.
        case hesitant
        /// They take it on before they do anything else.
        case claiming
        /// They take it on and give it back again and again, until the weather is fine.
        case restless
        /// What is taken from one presenter's they answer at the other's, in that moment.
        case late
        /// They do with a group what they do, and share it.
        case sharing
        /// They have signed in, some under two names, and see to it that no other has a say.
        case signedIn
    }

    static let presenter = "central"
    static let presenterName: NodeName = "central"
    /// Where people sit who are asked only while the presenter cannot be.
    static let desk = "desk"

    var processes: [Process] = [Process(name: Plan.presenter, parents: [])]
    var calls: [Call] = []
    var faults: [(time: UInt64, Fault)] = []
    var weather = Network.Weather()
    /// The longest a person thinks before doing something.
    var thinkingMax: UInt64 = 5_000
    /// The first of two presenters passes on what it has not answered in this time.
    var escalatesAfter: UInt64?
    /// Both presenters are asked at once.
    var asksBoth = false
    /// Which of them declines, and how.
    var decliner: Decliner?
    /// The presenter's own deadline, for what has none.
    var presenterDeadline: UInt64?
    /// Only one link of a worker that has two parents fails, and that for good.
    var isFailover = false
    /// No fault, and no message is lost or doubled: everything is prompt and exact.
    var isCalm = false
    /// Faults come early, and people leave what is asked to itself for minutes.
    var isPatient = false
    /// What it is made for; nil where chance made it.
    var scene: Scene?
    /// One thing goes wrong and nothing else: recovery is quick.
    var isTight = false
    var feature: Feature?
    var ambushes: [Ambush] = []
    /// The trouble that the first relay withholds.
    var withheldTrouble: Int?
    /// One process says what is not its own to say.
    var hasIntruder = false
    /// Retry is for two people to choose.
    var needsTwoPeople = false
    /// For how long what one person has chosen waits for the second one, where that is short.
    var proposalMax: UInt64?
    /// Retry needs a signature, which no node here can give.
    var needsSignature = false
    /// Retry asks for ``fields``.
    var asksForValues = false
    /// The trouble that the first relay answers itself, in the name of one person.
    var forgedTrouble: Int?
    /// The option that it chooses.
    var forgedOption = "retry"
    /// People at the desk leave all to itself.
    var isDeskIdle = false
    /// The trouble at which the chain of the first relay stumbles.
    var stumblingTrouble: Int?
    /// How long a relay's own option takes.
    var copyAttempt: UInt64 = 100
    /// Workers that come back ask again also what they have the outcome of.
    var forgets = false
    var manner = Manner.any
    /// People have accounts.
    var hasAccounts = false
    /// A presenter that shuts down sends first what its people hold back.
    var givesHeld = false
    /// How many kinds of errors there are: those above ``Trouble`` differ in a title only.
    var troubleCount = Trouble.allCases.count
    /// Its nodes go on until they have forgotten all that they keep for a time.
    var staysLong = false
    /// What comes in one millisecond comes before anything has been done about the first of it.
    var isCrowded = false
    /// How many messages wait for a process that does not read.
    var queueMax: Int?
    /// Each link bears what goes wrong.
    var bearsFaults = false
    /// After how long nodes give up what they cannot reach.
    var abandonAfter: UInt64?
    /// The first worker stops at the moment in which it has carried so many options out.
    var stopsAtAttempt: Int?
    /// The trouble that rules pass on by another way.
    var routedTrouble = 0
    /// After how long the presenter's process is through with what it has got.
    var impatience: UInt64?
    /// Retry asks for a number in another range where the trouble is one above ``Trouble``.
    var hasOtherFields = false
    /// How many answers without a result the presenter waits for.
    var undeliveredMax: Int?
    /// How many ended presentations an inbox keeps, and how many it holds at most.
    var inboxEndedMax: Int?
    /// What an inbox has is never stored, as where its disk is full.
    var storeFails = false
    /// An inbox has what it had before its process restarted.
    var keepsInbox = false
    /// People set up silences, before the presenter restarts and after it.
    var keepsSilences = false
    /// What was shown before the presenter's restart is refused after it, whatever else there is.
    var asksOnlyOnce = false
    /// What a policy's rules compare, and when they are in force.
    var ruling: Ruling?
    /// Callers that no parent was there for try once more.
    var triesTwice = false
    /// What is put to people from here to there cannot be read afterwards.
    var damage: ClosedRange<UInt64>?
    /// The only presenter passes on what it then answers.
    var hasSecondThoughts = false
    /// The key of the first relay is not that of a relay.
    var isRelayUnknown = false
    /// When the keys of clients without a link are revoked, and at which process.
    var revocation: (time: UInt64, at: String)?
    /// For how long relays bear for their own errors that no parent is there.
    var relayGrace: UInt64?
    /// Relays have a chain.
    var hasRelayChains = false
    /// Answers are taken back in the moment in which the time is over.
    var undoesAtDeadline = false
    /// What two children that are no nodes say.
    var play: Play?
    /// Which part of the scripts its conversations are of.
    var conversationPart: Int?
    /// When nodes are asked for their status.
    var statusTimes: [UInt64] = []
    /// From here on no fault begins, and the weather is fine.
    var chaosLasts: UInt64 = 40_000

    /// One process, and nothing that happens.
    init() {}

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x9159_015A_3070_DD17)
        let scenes = Plan.scenes(of: seed)
        if !scenes.isEmpty {
            stage(random.pick(scenes), using: &random)
            return
        }
        staysLong = Plan.isRare(seed) && random.happens(0.1)
        if Plan.isRare(seed), !staysLong {
            stage(random.pick(Plan.rare), using: &random)
            return
        }
        makeProcesses(using: &random)
        isCalm = !isFailover && random.happens(0.3)
        isPatient = !isFailover && !isCalm && random.happens(0.3)
        chaosLasts = isFailover ? 100_000 : random.number(15_000...(isPatient ? 25_000 : 60_000))
        thinkingMax = isFailover ? 120_000 : random.pick([1_000, 5_000, 5_000, 30_000])
        if isCalm, random.happens(0.3) { thinkingMax = 250_000 }
        if isPatient { thinkingMax = 300_000 }
        escalatesAfter = isFailover ? nil : random.pick([nil, nil, 4_000, 15_000])
        asksBoth = !isFailover && escalatesAfter == nil && random.happens(0.2)
        presenterDeadline =
            !isFailover && random.happens(0.15) ? random.number(5_000...60_000) : nil
        weather.delayMax = random.pick(isCalm ? [5, 30] : [5, 30, 30, 400])
        if !isFailover, !isCalm {
            weather.loss = random.pick([0, 0, 0.02, 0.1])
            weather.duplication = random.pick([0, 0, 0.05, 0.2])
        }
        makeCalls(using: &random)
        makeFaults(using: &random)
        if !isFailover, random.happens(0.6) { add(Feature(for: self, using: &random)) }
    }

    var links: [Network.LinkID] {
        processes.flatMap { process in
            process.parents.map { Network.LinkID(child: process.name, parent: $0) }
        }
    }

    /// What a requester is called.
    static let requester = "worker9"

    var workers: [String] { processes.map(\.name).filter { $0.hasPrefix("worker") } }

    private mutating func makeProcesses(using random: inout SeededGenerator) {
        let top = Plan.presenter
        var parents: [[String]]
        switch random.index(below: 10) {
        case 0: parents = [[top]]
        case 1, 2, 3:
            processes.append(Process(name: "relay1", parents: [top]))
            parents = [["relay1"]]
        case 4:
            processes.append(Process(name: "relay1", parents: [top]))
            processes.append(Process(name: "relay2", parents: ["relay1"]))
            parents = [["relay2"]]
        default:
            processes.append(Process(name: "relay1", parents: [top]))
            processes.append(Process(name: "relay2", parents: [top]))
            parents = [["relay1", "relay2"]]
            isFailover = random.happens(0.6)
        }
        if processes.count > 1, random.happens(0.2) { processes[1].addsOption = true }
        if random.happens(0.5) {
            parents.append(random.pick([parents[0], [top]]))
        }
        for (number, parents) in parents.enumerated() {
            processes.append(Process(name: "worker\(number + 1)", parents: parents))
        }
    }

    private mutating func makeCalls(using random: inout SeededGenerator) {
        for _ in 0..<Int(random.number(3...random.pick([6, 20]))) {
            let isTimed = !isFailover && random.happens(0.3)
            calls.append(
                Call(
                    time: random.number(0...chaosLasts + 30_000), worker: random.pick(workers),
                    deadline: isTimed ? random.number(500...40_000) : nil,
                    onExpiry: isTimed && random.happens(0.5)
                        ? random.pick(["retry", "skip"]) : nil,
                    cancelledAfter: random.happens(0.15) ? random.number(10...30_000) : nil,
                    isKept: random.happens(0.5),
                    attempt: random.pick([0, 300, 3_000, 20_000, isPatient ? 290_000 : 0]),
                    doesRecover: random.happens(0.7)))
        }
        if random.happens(0.3) {
            let parents = processes.map(\.name).filter { !$0.hasPrefix("worker") }
            for _ in 0..<Int(random.number(1...4)) {
                let deadline = random.happens(0.4) ? random.number(500...40_000) : nil
                calls.append(
                    Call(
                        time: random.number(0...chaosLasts + 30_000), worker: "bare",
                        deadline: deadline,
                        onExpiry: deadline != nil && random.happens(0.5) ? "skip" : nil,
                        isKept: false, attempt: 0, doesRecover: false,
                        bareParent: random.pick(parents)))
            }
        }
        calls.sort { $0.time < $1.time }
    }

    private mutating func makeFaults(using random: inout SeededGenerator) {
        if isFailover {
            let directions = random.pick([[Network.Direction.up, .down], [.up], [.down]])
            let link = Network.LinkID(child: "worker1", parent: "relay1")
            faults = [(5_000, .silence(link, directions, lasts: nil))]
            return
        }
        if isCalm { return }
        for _ in 0..<random.index(below: random.pick([2, 6, 10])) {
            let lasts = random.number(10...random.pick([500, 5_000, isPatient ? 100_000 : 30_000]))
            let name = random.pick(processes).name
            let link = random.pick(links)
            let fault: Fault
            switch random.index(below: 12) {
            case 0..<4: fault = .kill(name, downFor: lasts)
            case 4: fault = .stop(name, downFor: lasts)
            case 5, 6, 7: fault = .reset(link)
            case 8, 9: fault = .silence(link, [.up, .down], lasts: lasts)
            case 10: fault = .silence(link, [random.pick([.up, .down])], lasts: lasts)
            default: fault = .slowDisk(lasts: lasts)
            }
            faults.append((random.number(0...chaosLasts), fault))
        }
    }
}
