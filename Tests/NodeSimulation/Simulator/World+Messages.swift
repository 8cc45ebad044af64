import ErrorBus

/// What is done to messages as they arrive, and what they show.
extension World {
    private static let hello = Frame("HELLO".utf8)
    private static let present = Frame("PRESENT".utf8)
    private static let reject = Frame("REJECT".utf8)

    /// A message arrives: what waited for it strikes.
    func fate(of frames: [Frame], on link: Network.LinkID) -> Ambush.Fate {
        guard frames.count > 3 else { return .goes }
        var fate = Ambush.Fate.goes
        defer {
            if case .lost = fate {
            } else if frames[2] == Self.present {
                heard(frames[3], on: link)
            } else if frames[2] == Self.hello {
                greeted(on: link)
            } else if frames[2] == Self.reject {
                refused(frames[3])
            }
            if !plan.statusTimes.isEmpty { count(frames[2], id(in: frames[3]), on: link) }
        }
        for (index, ambush) in plan.ambushes.enumerated()
        where frames[2] == ambush.verbFrame && ambush.link == link {
            met[index, default: 0] += 1
            guard met[index] == ambush.number else { continue }
            scheduler.note("ambush: \(ambush.verb) \(ambush.fate)")
            faulted()
            fate = ambush.fate
            guard let fault = ambush.fault else { continue }
            if ambush.delay == 0 {
                strike(fault)
            } else {
                scheduler.after(ambush.delay) { [self] in strike(fault) }
            }
        }
        return fate
    }

    /// The presentation that a header is about.
    private func id(in header: Frame) -> PresentationID? {
        guard header.starts(with: Self.idField) else { return nil }
        return PresentationID(
            String(decoding: header.prefix { $0 != 10 }.dropFirst(4), as: UTF8.self))
    }

    private static let idField = Frame("id: ".utf8)

    private func has(_ line: Frame, in header: Frame) -> Bool {
        var rest = header[...]
        while !rest.isEmpty {
            let next = rest.prefix { $0 != 10 }
            if next == line[...] { return true }
            rest = rest[next.endIndex...].dropFirst()
        }
        return false
    }

    private static let noRoom = Frame("code: 429".utf8)
    private static let unreachable = Frame("reachable: false".utf8)

    /// A child gets a REJECT.
    private func refused(_ header: Frame) {
        guard plan.openMax != nil, let id = id(in: header), has(Self.noRoom, in: header) else {
            return
        }
        ledger.crowdedAt[id] = scheduler.now
        ledger.refusedForRoom.insert(id)
    }

    /// A parent gets a PRESENT.
    private func heard(_ header: Frame, on link: Network.LinkID) {
        guard let id = id(in: header) else { return }
        if plan.cutWay != nil || plan.regainedWay != nil {
            ledger.presents.append((scheduler.now, link))
        }
        if plan.hasTopLimit, ledger.firstHeard[link]?[id] == nil {
            ledger.firstHeard[link, default: [:]][id] = scheduler.now
        }
        let isReachable = !has(Self.unreachable, in: header)
        for index in ledger.asks.indices where ledger.asks[index].id == id {
            let ask = ledger.asks[index]
            if link.parent == Plan.presenter, isReachable {
                let former = ledger.askers.updateValue(link.child, forKey: id)
                if former != nil, former != link.child { ledger.moved.insert(id) }
            }
            if ask.worker == link.child, !ask.isLifeOver { ledger.asks[index].isHeard = true }
        }
    }
}
