import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct SecretMaskTests {
    private static let secret = "hunter2Xq"

    @Test(
        "A value that a name, a header, a URL or a flag shows to be a secret is masked",
        arguments: [
            "password=§", "Password = §", "DB_PASSWORD='§'", "\"password\": \"§\"",
            "{\"apiKey\":\"§\",\"b\":1}", "{\\\"token\\\":\\\"§\\\"}", "client_secret: §",
            "AWS_SECRET_ACCESS_KEY=§", "db_pass=§", "dbPwd: §", "{:password=>\"§\"}",
            "https://ann:§@host.example/x?y", "https://host/x?access_token=§&y=1",
            "Authorization: Bearer §", "< Set-Cookie: a=§; b=§",
            "'Authorization: Basic §' http://x",
            "X-Api-Key: §", "+ tool --password § next", "+ tool --api-key=§", "+ curl -u ann:§ x",
            "+ mysqldump -p§ db", "+ /usr/bin/sshpass -p § ssh x", "redis-cli -a § ping",
            "Server=x;Password=§;Port=1", "MYSQL_PWD=§ mysql",
            "\"Set-Cookie\": [\"sid=§; Path=/\", \"b=§\"]", "{\\\"Set-Cookie\\\":[\\\"a=§\\\"]}",
            "\"passwords\": [\n  \"a\",\n  [\"§\"]\n]", "set-cookie: ['a', '§']", "secrets=[1,§]",
            "\"password\": \"a\\\"§\"", "{\\\"token\\\":\\\"a\\\\\\\"§\\\"}", "\"token\": \"{§\"",
            "Authorization: Digest username=\"ann\", response=\"§\"",
            "\"Authorization\": \"Digest username=\\\"ann\\\", response=\\\"§\\\"\"",
            "dial postgres://ann:a/§@db:5432/books: invalid port", "mysql://ann:a#§@db/x",
            "https://hooks.slack.com/services/T1/B2/§", "SECRET_KEY_BASE=§",
            "openssl rsa -passin pass:§ -in k", "curl --oauth2-bearer § https://x",
            "redis-cli --pass § ping",
        ])
    func named(form: String) {
        let masked = SecretMask().masking(form.replacing("§", with: Self.secret))
        #expect(!masked.contains(Self.secret) && masked.contains(SecretMask.text), "\(masked)")
    }

    @Test("A41 the values that a command was given are masked, the secrets among them by any name")
    func given() throws {
        let values = try FieldValues(
            ["pin": "4711", "password": "hunter2Xq", "region": "north"],
            for: [
                .secret("pin", label: "PIN"), .text("password", label: "Password"),
                .text("region", label: "Region"),
            ])
        let masked = SecretMask().adding(values).masking("bad pin 4711, hunter2Xq in north")
        #expect(masked == "bad pin ***, *** in north")
        // Of those alone, what only looks like a secret stays.
        let text = "pin 4711 password=hunter2Xq"
        #expect(SecretMask.only(values).masking(text) == "pin *** password=hunter2Xq")
        let words = ["--pin=4711", "--token", "abcdefgh"].map { Array($0.utf8) }
        #expect(
            SecretMask.only(values).masking(words: words)
                == ["--pin=***", "--token", "abcdefgh"].map { Array($0.utf8) })
    }

    @Test("A line of a secret with several lines is masked, also without the others")
    func linesOfSecrets() throws {
        let secret = "hunter2Xq\r\nab\nanother4Zz"
        let values = try FieldValues(
            ["key": .string(secret)], for: [.secret("key", label: "Key")])
        let variables = ["SSH_PRIVATE_KEY": secret]
        for mask in [SecretMask().adding(values), SecretMask(environment: variables)] {
            #expect(
                mask.masking("line 1: hunter2Xq, line 3: another4Zz") == "line 1: ***, line 3: ***")
            // A line as short as a word would mask other texts.
            #expect(mask.masking("about") == "about")
        }
    }

    @Test("The lines of a long secret take the place of no other secret")
    func manyLines() {
        let lines = (0...SecretMask.valueCountMax).map { "a line of the key, number \($0)" }
        let mask = SecretMask(environment: [
            "SSH_PRIVATE_KEY": lines.joined(separator: "\n"), "API_TOKEN": "hunter2",
        ])
        #expect(mask.masking("found hunter2 and \(lines[0])") == "found *** and ***")
    }

    @Test(
        "A text without a secret stays as it is",
        arguments: [
            "", "The token expired.", "token: expired yesterday", "max_tokens: 4096",
            "Permission denied (publickey,password).", "password: ", "PASSWORD_FILE=/run/secret",
            "pass: 3 fail: 0", "PWD=/home/ann OLDPWD=/tmp", "token=$TOKEN", "--password \"${PW}\"",
            "mysql --password=$PW;date", "token=null,abc",
            "--token-file /etc/token --next x", "http://host:8080/a@b", "https://host/x?y=1",
            "docker run -p 8080:80 image", "rsync -u host:/a /b", "mkdir -p /var/lib",
            "secret=null",
            "basic authentication-is-required here", "sk-learn-pipeline-for-the-lot.py",
            "password: true", "{\"token\": {\"kind\": 1}}", "--password", "C:\\keys\\token:",
            "\"cookies\": [{\"name\": \"a\"}]", "secrets: []", "http://[::1]:80/a@b",
            "http://host:$PORT/a@b", "https://hooks.slack.com/services/", "token: [",
            "1:5: unexpected token: [ at line 3\nsee the log of the build",
        ])
    func unchanged(text: String) {
        #expect(SecretMask(environment: ["PWD": "/home"]).masking(text) == text)
    }

    @Test(
        "What stays around a secret",
        arguments: [
            ("login ann password=§ at host", "login ann password=*** at host"),
            ("{\"token\":\"§\",\"user\":\"ann\"}", "{\"token\":\"***\",\"user\":\"ann\"}"),
            ("Authorization: Bearer §\nHost: x", "Authorization: Bearer ***\nHost: x"),
            ("postgres://ann:§@db:5432/books", "postgres://ann:***@db:5432/books"),
            ("curl -u ann:§ https://x/?token=§&a=1", "curl -u ann:*** https://x/?token=***&a=1"),
            ("password='§", "password='***"), ("mysql -p§ -h db", "mysql -p*** -h db"),
            ("password=§,user=ann", "password=***,user=ann"),
            ("`password=§` fails", "`password=***` fails"),
            ("password=§; next", "password=***; next"),
            ("password=, user=ann", "password=, user=ann"),
            ("password=§<,§&;§|x y", "password=*** y"),
            (
                "{\"Set-Cookie\": [\"a=§\", null, \"b=§\"], \"Host\": [\"x\"]}",
                "{\"Set-Cookie\": [\"***\", null, \"***\"], \"Host\": [\"x\"]}"
            ),
            ("secrets=[§,\n§\nsee the log", "secrets=[***,\n***\nsee the log"),
            ("{\"password\":\"a\\\"§\",\"b\":\"c\"}", "{\"password\":\"***\",\"b\":\"c\"}"),
            ("{\"password\":\"§\\\\\",\"b\":\"c\"}", "{\"password\":\"***\",\"b\":\"c\"}"),
            (
                "curl -H 'Authorization: Digest a=\"§\"' http://x",
                "curl -H 'Authorization: Digest ***' http://x"
            ),
            ("'Authorization: Basic §==' http://x", "'Authorization: Basic ***' http://x"),
            ("curl -H \"Cookie: a=§\" http://x", "curl -H \"Cookie: ***\" http://x"),
        ])
    func around(text: String, expected: String) {
        #expect(SecretMask().masking(text.replacing("§", with: Self.secret)) == expected)
    }

    @Test("A long value with many marks takes time in proportion to its length")
    func manyMarks() {
        // Read once more for each mark, this would be twenty thousand million steps.
        let value = String(repeating: "a,;", count: 80_000)
        #expect(SecretMask().masking("password=\(value)a x") == "password=*** x")
    }

    @Test("No part of a secret is left, whatever printable characters it consists of")
    func anySecret() {
        let mask = SecretMask()
        // The characters that end a value elsewhere.
        let marks = Array(",;&|<>`'\" \\{[$".utf8)
        for round in 0..<1_900 {
            let printable = (0..<12).map { UInt8(0x20 + (round * 31 + $0 * (7 + round / 95)) % 95) }
            var secret = [UInt8(ascii: "x")]
            for (index, byte) in printable.enumerated() {
                secret.append(byte)
                if round % 2 == 1 { secret.append(marks[(index + round) % marks.count]) }
            }
            func isGone(from words: [[UInt8]]) -> Bool {
                words.allSatisfy { word in
                    secret.indices.dropLast(2).allSatisfy {
                        word.places(of: Array(secret[$0..<$0 + 3])).isEmpty
                    }
                }
            }
            for name in ["--password=", "PGPASSWORD=", "-Dapi.token=", "db_pass="] {
                let words = mask.masking(words: [Array("run".utf8), Array(name.utf8) + secret])
                #expect(isGone(from: words), "\(String(decoding: words[1], as: UTF8.self))")
            }
            let flagged = mask.masking(words: [Array("--token".utf8), secret])
            #expect(isGone(from: flagged))
            // In a text a space or a quote ends it, and so does another name.
            let plain = secret.filter { !" '\"=:\\".utf8.contains($0) } + [UInt8(ascii: "x")]
            let text = mask.masking(Array("failed: password=".utf8) + plain + Array(" at".utf8))
            #expect(text.starts(with: Array("failed: password=***".utf8)) && isGone(from: [text]))
        }
    }

    @Test(
        "Tokens of known forms are masked without a name",
        arguments: [
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "glpat-aBcDeFgHiJkLmNoPqRsT1",
            "xoxb-123456789012-abcdefGHIJKL", "npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLW9mLWFubg",
            "Bearer mF_9.B5f-4.1JqM_aaaaaaaa", "AKIAIOSFODNN7EXAMPLE", "xoxe-1-aBcDeFgHiJkLmN",
        ])
    func tokens(token: String) throws {
        let masked = SecretMask().masking("refused: \(token) is not valid")
        #expect(masked.hasSuffix("*** is not valid"), "\(masked)")
        #expect(!masked.contains(try #require(token.split(separator: " ").last)))
    }

    @Test("A private key is masked whole, also one that was cut")
    func keys() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----"
        let mask = SecretMask()
        #expect(mask.masking("a\n\(key)\nb \(key) c") == "a\n***\nb *** c")
        #expect(mask.masking("a \(key.dropLast(20)) b") == "a ***")
        #expect(mask.masking("\(key.dropFirst(40)) b") == "*** b")
        let certificate = key.replacing("RSA PRIVATE KEY", with: "CERTIFICATE")
        #expect(mask.masking(certificate) == certificate)
        let block = key.replacing("RSA PRIVATE KEY", with: "PGP PRIVATE KEY BLOCK")
        #expect(mask.masking("a \(block) b") == "a *** b")
    }

    @Test("A secret of the environment is masked wherever it occurs; a short one is not")
    func environment() {
        let mask = SecretMask(environment: [
            "BACKUP_PASSWORD": "correct horse", "API_TOKEN": "abc", "HOME": "/home/ann",
            "SECOND_SECRET": "correct horse battery",
        ])
        #expect(
            mask.masking("abc: correct horse battery, correct horse, /home/ann")
                == "abc: ***, ***, /home/ann")
    }

    @Test(
        "A long text full of signs of secrets takes no longer than another",
        arguments: [
            "cookie:", "token=\"", "://a:", "-----BEGIN PRIVATE KEY-----", "curl -u ", "cookie:[",
            "cookie:[\"", "cookie:a=\"", "token=\\\"", "://a:b/", "cookies:[[,{",
        ])
    func long(sign: String) {
        let text = String(repeating: sign, count: 200_000 / sign.utf8.count)
        #expect(SecretMask().masking(text).utf8.count <= text.utf8.count)
    }

    @Test("A word of a command is masked after its flag, and in a script")
    func words() {
        func masked(_ words: String...) -> [String] {
            SecretMask().masking(words: words.map { Array($0.utf8) })
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(masked("tool", "--password", "a b", "--x") == ["tool", "--password", "***", "--x"])
        #expect(masked("tool", "--token=abc", "--secret") == ["tool", "--token=***", "--secret"])
        #expect(masked("tool", "--password", "--x", "y") == ["tool", "--password", "--x", "y"])
        #expect(masked("tool", "--mode=secret", "y") == ["tool", "--mode=secret", "y"])
        #expect(masked("curl", "-u", "ann:abc", "x") == ["curl", "-u", "ann:***", "x"])
        #expect(masked("curl", "-sSu", "ann:abc", "x") == ["curl", "-sSu", "ann:***", "x"])
        #expect(masked("curl", "-fsSLuann:abc", "x") == ["curl", "-fsSLuann:***", "x"])
        #expect(masked("curl", "-ou", "http://x") == ["curl", "-ou", "http://x"])
        #expect(masked("ldapsearch", "-xw", "abc") == ["ldapsearch", "-xw", "***"])
        #expect(masked("ldapsearch", "-xWb", "dc=abc") == ["ldapsearch", "-xWb", "dc=abc"])
        #expect(masked("ldapsearch", "-wabc") == ["ldapsearch", "-w***"])
        #expect(masked("sqlcmd", "-Pabc", "-S", "x") == ["sqlcmd", "-P***", "-S", "x"])
        #expect(masked("sshpass", "-vpabc", "ssh") == ["sshpass", "-vp***", "ssh"])
        #expect(masked("mongosh", "-pabc", "x") == ["mongosh", "-p***", "x"])
        #expect(masked("mysql", "-uapp", "db") == ["mysql", "-uapp", "db"])
        #expect(
            masked("sh", "-c", "mysqldump -pabc db | gzip") == [
                "sh", "-c", "mysqldump -p*** db | gzip",
            ])
        #expect(masked("tool", "a\u{0}", "") == ["tool", "a\u{0}", ""])
    }

    @Test("Every text of a report and its userInfo are masked, underlying errors as well")
    func report() {
        var inner = ErrorReport(domain: "d", description: "password=abc")
        inner.failureReason = "token=abc"
        inner.recoverySuggestion = "https://a:abc@x"
        inner.helpAnchor = "https://x/?token=abc"
        inner.coalesceKey = "secret=abc"
        inner.options = [.init(id: "abc", title: "Use password=abc")]
        inner.userInfo = [
            "password": "abc", "pin": 4, "apiKey": 4, "token": .null,
            "secret": ["a", ["b": "abc"]],
            "arguments": ["tool", "--token", "abc"], "nested": ["secret": "abc", "x": "y"],
            "mixed": [1, "password=abc"], "Set-Cookie": ["a=abc", "b=abc"],
        ]
        let error = ErrorReport(domain: "d", description: "x", underlyingErrors: [inner])
        var masked = error
        masked.mask(by: SecretMask())
        let under = masked.underlyingErrors[0]
        #expect(
            [under.description, under.failureReason, under.recoverySuggestion, under.helpAnchor]
                == ["password=***", "token=***", "https://a:***@x", "https://x/?token=***"])
        #expect(under.coalesceKey == "secret=***")
        #expect(under.options == [.init(id: "abc", title: "Use password=***")])
        #expect(
            under.userInfo == [
                "password": "***", "pin": 4, "apiKey": "***", "token": .null,
                "secret": ["***", ["b": "***"]], "arguments": ["tool", "--token", "***"],
                "nested": ["secret": "***", "x": "y"], "mixed": [1, "password=***"],
                "Set-Cookie": ["***", "***"],
            ])
        let difference = ReportDifference(error, masked)
        #expect(
            difference.redacted == [
                "Set-Cookie", "apiKey", "arguments", "mixed", "nested", "password", "secret",
            ])
    }

    @Test("Whatever the text is, nothing traps and every character stays whole")
    func anyText() {
        var random = FuzzGenerator(seed: 12)
        let parts = [
            "password", "token", "=", ":", "\"", "'", "\\", " ", "\n", "://", "@", "$", "{", "abc1",
            "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "--", "-p", "curl ", "mysql ",
            "Bearer ",
            "Cookie", "é", "***", ",", "ghp_16C7e42F292c6912E7710c838347", "-u", "a:b",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let once = SecretMask().masking(text)
            #expect(!once.contains("\u{FFFD}"), "\(text)")
        }
    }
}
