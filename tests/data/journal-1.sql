-- A journal as version 1 of its schema wrote it: a job that is done, one that runs, one just accepted.
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE attempts (
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        intent_at TEXT NOT NULL,
        answered_at TEXT,
        outcome TEXT,
        PRIMARY KEY (job_id, number)
    ) WITHOUT ROWID;
INSERT INTO "attempts" VALUES('aaaaaaaaaa',1,'2026-03-01T10:00:01.000Z','2026-03-01T10:00:02.000Z','4711');
INSERT INTO "attempts" VALUES('bbbbbbbbbb',1,'2026-03-01T10:00:01.000Z','2026-03-01T10:00:02.000Z','4712');
CREATE TABLE events (
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL,
        backend_id TEXT,
        exit_code INTEGER,
        PRIMARY KEY (job_id, seq)
    ) WITHOUT ROWID;
INSERT INTO "events" VALUES('aaaaaaaaaa',1,'2026-03-01T10:00:00.000Z','accepted','',NULL,NULL);
INSERT INTO "events" VALUES('aaaaaaaaaa',2,'2026-03-01T10:00:01.000Z','submitting','',NULL,NULL);
INSERT INTO "events" VALUES('aaaaaaaaaa',3,'2026-03-01T10:00:02.000Z','submitted','','4711',NULL);
INSERT INTO "events" VALUES('aaaaaaaaaa',4,'2026-03-01T10:00:03.000Z','running','',NULL,NULL);
INSERT INTO "events" VALUES('aaaaaaaaaa',5,'2026-03-01T10:00:04.000Z','done','',NULL,0);
INSERT INTO "events" VALUES('bbbbbbbbbb',1,'2026-03-01T10:00:00.000Z','accepted','',NULL,NULL);
INSERT INTO "events" VALUES('bbbbbbbbbb',2,'2026-03-01T10:00:01.000Z','submitting','',NULL,NULL);
INSERT INTO "events" VALUES('bbbbbbbbbb',3,'2026-03-01T10:00:02.000Z','submitted','','4712',NULL);
INSERT INTO "events" VALUES('bbbbbbbbbb',4,'2026-03-01T10:00:03.000Z','running','',NULL,NULL);
INSERT INTO "events" VALUES('cccccccccc',1,'2026-03-01T10:00:00.000Z','accepted','',NULL,NULL);
CREATE TABLE jobs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        owner TEXT,
        name TEXT NOT NULL,
        service TEXT NOT NULL,
        template_name TEXT NOT NULL,
        experiment TEXT,
        nodes INTEGER NOT NULL,
        processes_per_node INTEGER NOT NULL,
        spec TEXT NOT NULL,
        spec_sha256 TEXT NOT NULL,
        code_digest TEXT NOT NULL,
        caller TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL DEFAULT '',
        cancel_at TEXT,
        backend_id TEXT,
        exit_code INTEGER,
        accepted_at TEXT NOT NULL,
        changed_at TEXT NOT NULL,
        started_at TEXT,
        ended_at TEXT
    );
INSERT INTO "jobs" VALUES(1,'aaaaaaaaaa','','train-aaaaaaaaaa','local','test','first',1,1,'{"version":"1","name":"train-aaaaaaaaaa","sid":"aaaaaaaaaa","description":null,"template_name":"test","experiment":"first","service":"local","sku":null,"nodes":1,"selector":null,"gpus_per_node":0,"processes_per_node":1,"image":null,"image_registry":null,"code":{"dir":".","ignore":[]},"setup":[],"command":"echo train","storage":{},"env":{},"time_limit_seconds":null,"backend_spec":{},"extra":{},"sources":[],"template":null}','077ca796e93e24b955815e9592f62d587aaab6e352eca2b71facf6ac524be62b','0000000000000000000000000000000000000000000000000000000000000000','{"path":"/usr/bin","virtual_env":null}','done','',NULL,'4711',0,'2026-03-01T10:00:00.000Z','2026-03-01T10:00:04.000Z','2026-03-01T10:00:03.000Z','2026-03-01T10:00:04.000Z');
INSERT INTO "jobs" VALUES(2,'bbbbbbbbbb',NULL,'train-bbbbbbbbbb','local','test','first',1,1,'{"version":"1","name":"train-bbbbbbbbbb","sid":"bbbbbbbbbb","description":null,"template_name":"test","experiment":"first","service":"local","sku":null,"nodes":1,"selector":null,"gpus_per_node":0,"processes_per_node":1,"image":null,"image_registry":null,"code":{"dir":".","ignore":[]},"setup":[],"command":"echo train","storage":{},"env":{},"time_limit_seconds":null,"backend_spec":{},"extra":{},"sources":[],"template":null}','9bf4edf1ad5acdcaca47ed1f878aa21f6c86635e39e7654852d7a315778241e0','0000000000000000000000000000000000000000000000000000000000000000','{"path":"/usr/bin","virtual_env":null}','running','',NULL,'4712',NULL,'2026-03-01T10:00:00.000Z','2026-03-01T10:00:03.000Z','2026-03-01T10:00:03.000Z',NULL);
INSERT INTO "jobs" VALUES(3,'cccccccccc','','train-cccccccccc','local','test','first',1,1,'{"version":"1","name":"train-cccccccccc","sid":"cccccccccc","description":null,"template_name":"test","experiment":"first","service":"local","sku":null,"nodes":1,"selector":null,"gpus_per_node":0,"processes_per_node":1,"image":null,"image_registry":null,"code":{"dir":".","ignore":[]},"setup":[],"command":"echo train","storage":{},"env":{},"time_limit_seconds":null,"backend_spec":{},"extra":{},"sources":[],"template":null}','227048ebb38231f60b6f187c08b09049fd250c7e014e2c1bf7ba618a270cc7df','0000000000000000000000000000000000000000000000000000000000000000','{"path":"/usr/bin","virtual_env":null}','accepted','',NULL,NULL,NULL,'2026-03-01T10:00:00.000Z','2026-03-01T10:00:00.000Z',NULL,NULL);
CREATE TABLE keys (
        owner TEXT NOT NULL,
        key TEXT NOT NULL,
        body_sha256 TEXT NOT NULL,
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        answer TEXT NOT NULL,
        PRIMARY KEY (owner, key)
    ) WITHOUT ROWID;
INSERT INTO "keys" VALUES('','key-aaaaaaaaaa','cca22370ec9d5ed274fc6b0707ae139f161a14058f94a2aabfdb5df169519f9b','aaaaaaaaaa','{"id":"aaaaaaaaaa","name":"train-aaaaaaaaaa","service":"local","template_name":"test","experiment":"first","nodes":1,"processes_per_node":1,"state":"accepted","message":"","cancel_requested":false,"backend_id":null,"exit_code":null,"attempts":0,"spec_sha256":"077ca796e93e24b955815e9592f62d587aaab6e352eca2b71facf6ac524be62b","code_digest":"0000000000000000000000000000000000000000000000000000000000000000","accepted_at":"2026-03-01T10:00:00.000Z","changed_at":"2026-03-01T10:00:00.000Z","started_at":null,"ended_at":null}');
INSERT INTO "keys" VALUES('','key-bbbbbbbbbb','004394952f75a2600c248c78ed212ca38fd1985a4bd783f6d9beb908aa09c174','bbbbbbbbbb','{"id":"bbbbbbbbbb","name":"train-bbbbbbbbbb","service":"local","template_name":"test","experiment":"first","nodes":1,"processes_per_node":1,"state":"accepted","message":"","cancel_requested":false,"backend_id":null,"exit_code":null,"attempts":0,"spec_sha256":"9bf4edf1ad5acdcaca47ed1f878aa21f6c86635e39e7654852d7a315778241e0","code_digest":"0000000000000000000000000000000000000000000000000000000000000000","accepted_at":"2026-03-01T10:00:00.000Z","changed_at":"2026-03-01T10:00:00.000Z","started_at":null,"ended_at":null}');
INSERT INTO "keys" VALUES('','key-cccccccccc','d0440587d3f0ea3bf229a9b160bf68ab0768f3832c949ea4635be61160879343','cccccccccc','{"id":"cccccccccc","name":"train-cccccccccc","service":"local","template_name":"test","experiment":"first","nodes":1,"processes_per_node":1,"state":"accepted","message":"","cancel_requested":false,"backend_id":null,"exit_code":null,"attempts":0,"spec_sha256":"227048ebb38231f60b6f187c08b09049fd250c7e014e2c1bf7ba618a270cc7df","code_digest":"0000000000000000000000000000000000000000000000000000000000000000","accepted_at":"2026-03-01T10:00:00.000Z","changed_at":"2026-03-01T10:00:00.000Z","started_at":null,"ended_at":null}');
CREATE INDEX jobs_live ON jobs (seq) WHERE ended_at IS NULL;
CREATE INDEX jobs_state ON jobs (state, seq);
CREATE INDEX jobs_service ON jobs (service, seq);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE INDEX keys_job ON keys (job_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',3);
COMMIT;
