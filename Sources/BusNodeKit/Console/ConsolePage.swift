import Crypto
import ErrorBus
import Foundation
import HTTPTypes
import Hummingbird

/// The files of the page, compiled into this binary, and the page's security policy.
struct ConsolePage: Sendable {
    /// The page's security policy: nothing from elsewhere, nothing inline, no frame around it.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// The parts of the page, by the names under which it requests them.
    private static let parts: [String: [UInt8]] = [
        "acting.js": PackageResources.acting_js,
        "address.js": PackageResources.address_js,
        "alerts.js": PackageResources.alerts_js,
        "answer-link.js": PackageResources.answer_link_js,
        "answering.js": PackageResources.answering_js,
        "api.js": PackageResources.api_js,
        "arrival.js": PackageResources.arrival_js,
        "audit.js": PackageResources.audit_js,
        "base.css": PackageResources.base_css,
        "chart.js": PackageResources.chart_js,
        "comment.js": PackageResources.comment_js,
        "decide.js": PackageResources.decide_js,
        "detail.js": PackageResources.detail_js,
        "dialogs.js": PackageResources.dialogs_js,
        "elements.js": PackageResources.elements_js,
        "facts.js": PackageResources.facts_js,
        "filter-box.js": PackageResources.filter_box_js,
        "filter.js": PackageResources.filter_js,
        "forest.js": PackageResources.forest_js,
        "frame.js": PackageResources.frame_js,
        "group-box.js": PackageResources.group_box_js,
        "group.js": PackageResources.group_js,
        "history.js": PackageResources.history_js,
        "icon.js": PackageResources.icon_js,
        "inbox.css": PackageResources.inbox_css,
        "keys.js": PackageResources.keys_js,
        "letters.js": PackageResources.letters_js,
        "limit.js": PackageResources.limit_js,
        "link.js": PackageResources.link_js,
        "list.js": PackageResources.list_js,
        "main.js": PackageResources.main_js,
        "modal.js": PackageResources.modal_js,
        "news.js": PackageResources.news_js,
        "notes.js": PackageResources.notes_js,
        "notifications.js": PackageResources.notifications_js,
        "option-search.js": PackageResources.option_search_js,
        "order.js": PackageResources.order_js,
        "overview.js": PackageResources.overview_js,
        "past-filter.js": PackageResources.past_filter_js,
        "past-list.js": PackageResources.past_list_js,
        "patterns.js": PackageResources.patterns_js,
        "phone.css": PackageResources.phone_css,
        "picking.js": PackageResources.picking_js,
        "reminders.js": PackageResources.reminders_js,
        "row.js": PackageResources.row_js,
        "rows.js": PackageResources.rows_js,
        "rule-form.js": PackageResources.rule_form_js,
        "saved-views.js": PackageResources.saved_views_js,
        "sentences.js": PackageResources.sentences_js,
        "silence-fields.js": PackageResources.silence_fields_js,
        "silence-form.js": PackageResources.silence_form_js,
        "silence-list.js": PackageResources.silence_list_js,
        "silences.js": PackageResources.silences_js,
        "sound.js": PackageResources.sound_js,
        "state.js": PackageResources.state_js,
        "store.js": PackageResources.store_js,
        "stream.js": PackageResources.stream_js,
        "term-box.js": PackageResources.term_box_js,
        "text-block.js": PackageResources.text_block_js,
        "text.js": PackageResources.text_js,
        "thresholds.js": PackageResources.thresholds_js,
        "topology.js": PackageResources.topology_js,
        "two-people.js": PackageResources.two_people_js,
        "undoing.js": PackageResources.undoing_js,
        "values.js": PackageResources.values_js,
        "views.css": PackageResources.views_css,
        "views.js": PackageResources.views_js,
    ]

    /// The version of the parts, a hash of them all. Their paths have it: a browser keeps the parts
    /// for good, and a page never has parts of two versions.
    private static let version: String = {
        var hash = SHA256()
        for (name, bytes) in parts.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Data(name.utf8))
            hash.update(data: bytes)
        }
        return String(hash.finalize().hex.prefix(16))
    }()

    private static let versionedHTML = Array(
        String(decoding: PackageResources.console_html, as: UTF8.self)
            .replacing("/page/", with: "/page/\(version)/").utf8)

    /// The path of a part.
    static func path(_ part: String) -> String { "/page/\(version)/\(part)" }

    var html: Response { Self.file(Self.versionedHTML, "text/html; charset=utf-8") }

    /// The description of the interface.
    static var interfaceBytes: [UInt8] { PackageResources.openapi_yaml }
    var interface: Response { Self.file(Self.interfaceBytes, "application/yaml") }

    func part(_ name: String, of version: String) throws(APIProblem) -> Response {
        guard let bytes = Self.parts[name] else {
            throw APIProblem(.notFound, "notFound", "no such path")
        }
        guard version == Self.version else {
            throw APIProblem(
                .notFound, "notFound",
                "version of the page: found \(version.shown()), expected \(Self.version); load the "
                    + "page again")
        }
        var response = Self.file(
            bytes,
            name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8")
        response.headers[.cacheControl] = "public, max-age=31536000, immutable"
        return response
    }

    /// The page for a client without the token, which asks for it.
    var door: Response {
        var response = html
        response.status = .unauthorized
        response.headers[.wwwAuthenticate] = "Bearer"
        return response
    }

    /// The page that says why the identity provider does not sign a person in.
    func refusal(_ problem: APIProblem) -> Response {
        Self.plainPage(
            "not signed in", status: problem.status,
            """
            <h1>You are not signed in</h1>
            <p id="reason">\(problem.message.escapedForPage)</p>
            <p class="buttons"><a class="button default" href="\(ConsoleSignIn.startPath)">Sign in \
            again</a> <a class="button" href="/">Back to the console</a></p>
            """)
    }

    /// A page of one section, which needs neither a token nor the rest of the console.
    ///
    /// - Parameters:
    ///   - section: HTML; texts in it are escaped.
    ///   - head: Further HTML, for the head.
    static func plainPage(
        _ title: String, status: HTTPResponse.Status = .ok, head: String = "", _ section: String
    ) -> Response {
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>ErrorBus: \(title)</title>
            <link rel="icon" href="data:,">
            <script src="\(path("arrival.js"))"></script>
            <link rel="stylesheet" href="\(path("base.css"))">
            \(head)
            </head>
            <body>
            <main class="door">
            <section>
            \(section)
            </section>
            </main>
            </body>
            </html>

            """
        var response = file(Array(html.utf8), "text/html; charset=utf-8")
        response.status = status
        return response
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Makes browsers reach this host over TLS alone, for a year.
    func insistOnTLS(_ response: inout Response) {
        if let name = HTTPField.Name("Strict-Transport-Security") {
            response.headers[name] = "max-age=31536000"
        }
    }

    func protect(_ response: inout Response) {
        // All but the page's parts says what is so now, for one visitor.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        let headers = [
            "Content-Security-Policy": Self.contentSecurityPolicy,
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
    }
}

extension String {
    /// A text as HTML, without markup and control characters.
    var escapedForPage: String {
        escapedForTerminal(scalarLimit: 2_000).replacingScalars(["&": "&amp;", "<": "&lt;"])
    }
}
