-- A store as schema 4 had it: two devices with one row of every kind.
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN TRANSACTION;
CREATE TABLE alert(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, cause TEXT NOT NULL,
  severity TEXT NOT NULL, state TEXT NOT NULL, first_us INTEGER NOT NULL, last_us INTEGER NOT NULL,
  count INTEGER NOT NULL, text TEXT NOT NULL, note TEXT NOT NULL) STRICT;
INSERT INTO alert VALUES(1,1,'panic','critical','open',1764000000000000,1764000001000000,3,'it panicked','');
INSERT INTO alert VALUES(2,2,'panic','critical','open',1764000000000000,1764000001000000,3,'it panicked','');
CREATE TABLE anchor(boot INTEGER NOT NULL REFERENCES boot, since INTEGER NOT NULL, host_boot TEXT NOT NULL,
  mono_zero_us INTEGER NOT NULL, utc_zero_us INTEGER NOT NULL, PRIMARY KEY(boot, since)) STRICT, WITHOUT ROWID;
INSERT INTO anchor VALUES(1,0,'host-boot',0,1764000000000000);
INSERT INTO anchor VALUES(2,0,'host-boot',0,1764000000000000);
CREATE TABLE boot(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  identity INTEGER REFERENCES identity, cause INTEGER NOT NULL, signs TEXT NOT NULL, start_seen INTEGER NOT NULL,
  reboot_count INTEGER, firmware_version TEXT NOT NULL, pio_env TEXT NOT NULL, debug_heap INTEGER) STRICT;
INSERT INTO boot VALUES(1,1,1,1,'rebooted',1,7,'2.7.11','heltec-v3',1);
INSERT INTO boot VALUES(2,2,2,1,'rebooted',1,7,'2.7.11','heltec-v3',1);
CREATE TABLE call_site(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, context INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO call_site VALUES(1,1000000,5,432);
INSERT INTO call_site VALUES(2,1000000,5,432);
CREATE TABLE cause(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cause VALUES(0,'unknown');
INSERT INTO cause VALUES(1,'watchdog');
INSERT INTO cause VALUES(2,'panic');
INSERT INTO cause VALUES(3,'out_of_memory');
INSERT INTO cause VALUES(4,'planned');
INSERT INTO cause VALUES(5,'opened_by_recorder');
INSERT INTO cause VALUES(6,'power');
CREATE TABLE counter(device INTEGER NOT NULL, name TEXT NOT NULL, total INTEGER NOT NULL,
  PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES(1,'frames',10);
INSERT INTO counter VALUES(2,'frames',20);
CREATE TABLE device(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO device VALUES(1,'bench1');
INSERT INTO device VALUES(2,'bench2');
CREATE TABLE event(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, utc_us INTEGER NOT NULL,
  boot INTEGER REFERENCES boot, t_boot INTEGER, kind TEXT NOT NULL, label TEXT NOT NULL, note TEXT NOT NULL,
  data TEXT NOT NULL) STRICT;
INSERT INTO event VALUES(1,1,1764000001000000,1,1000000,'mark','burst-start','a note','{}');
INSERT INTO event VALUES(2,1,1764000005000000,NULL,NULL,'gap','queue','nothing for 5 s','');
INSERT INTO event VALUES(3,2,1764000001000000,2,1000000,'mark','burst-start','a note','{}');
INSERT INTO event VALUES(4,2,1764000005000000,NULL,NULL,'gap','queue','nothing for 5 s','');
CREATE TABLE field_seen(device INTEGER NOT NULL, variant TEXT NOT NULL, field TEXT NOT NULL,
  PRIMARY KEY(device, variant, field)) STRICT, WITHOUT ROWID;
INSERT INTO field_seen VALUES(1,'air_quality','pm10_standard');
INSERT INTO field_seen VALUES(1,'device','battery_level');
INSERT INTO field_seen VALUES(1,'environment','temperature');
INSERT INTO field_seen VALUES(1,'health','heart_bpm');
INSERT INTO field_seen VALUES(1,'host','uptime_seconds');
INSERT INTO field_seen VALUES(1,'local','uptime_seconds');
INSERT INTO field_seen VALUES(1,'power','ch1_voltage');
INSERT INTO field_seen VALUES(1,'traffic','packets_inspected');
INSERT INTO field_seen VALUES(2,'air_quality','pm10_standard');
INSERT INTO field_seen VALUES(2,'device','battery_level');
INSERT INTO field_seen VALUES(2,'environment','temperature');
INSERT INTO field_seen VALUES(2,'health','heart_bpm');
INSERT INTO field_seen VALUES(2,'host','uptime_seconds');
INSERT INTO field_seen VALUES(2,'local','uptime_seconds');
INSERT INTO field_seen VALUES(2,'power','ch1_voltage');
INSERT INTO field_seen VALUES(2,'traffic','packets_inspected');
CREATE TABLE gap(id INTEGER PRIMARY KEY, device INTEGER NOT NULL, from_us INTEGER NOT NULL, to_us INTEGER NOT NULL,
  reason TEXT NOT NULL, lines INTEGER NOT NULL, records INTEGER NOT NULL) STRICT;
INSERT INTO gap VALUES(1,1,1764000000000000,1764000005000000,'queue',12,3);
INSERT INTO gap VALUES(2,2,1764000000000000,1764000005000000,'queue',12,3);
CREATE TABLE heap_event(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, thread INTEGER NOT NULL,
  before_bytes INTEGER NOT NULL, after_bytes INTEGER NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO heap_event VALUES(1,1000000,4,90000,89568);
INSERT INTO heap_event VALUES(2,1000000,4,90000,89568);
CREATE TABLE heap_field(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO heap_field VALUES(1,'heap_free_bytes');
INSERT INTO heap_field VALUES(2,'largest_block_bytes');
INSERT INTO heap_field VALUES(3,'min_free_bytes');
CREATE TABLE heartbeat(id INTEGER PRIMARY KEY CHECK(id = 1), utc_us INTEGER NOT NULL) STRICT;
INSERT INTO heartbeat VALUES(1,1796046229124350);
CREATE TABLE identity(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device, node INTEGER NOT NULL,
  long_name TEXT NOT NULL, short_name TEXT NOT NULL, hw_model INTEGER NOT NULL, first_seen_us INTEGER NOT NULL) STRICT;
INSERT INTO identity VALUES(1,1,1112687409,'Bench One','B1',43,1764000000000000);
INSERT INTO identity VALUES(2,2,1112687410,'Bench One','B1',43,1764000000000000);
CREATE TABLE log(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, link INTEGER NOT NULL,
  level INTEGER, thread INTEGER, flags INTEGER NOT NULL, alarm INTEGER, body_offset INTEGER NOT NULL,
  uptime_us INTEGER, text TEXT NOT NULL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO log VALUES(1,1000000,0,1,2,6,3,0,NULL,'out of memory 💥');
INSERT INTO log VALUES(2,1000000,0,1,2,6,3,0,NULL,'out of memory 💥');
CREATE TABLE log_block(boot INTEGER NOT NULL REFERENCES boot, t_first INTEGER NOT NULL, t_last INTEGER NOT NULL,
  lines INTEGER NOT NULL, codec INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(boot, t_first)) STRICT, WITHOUT ROWID;
CREATE TABLE mem_audit(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, moment TEXT NOT NULL,
  tags TEXT NOT NULL, total_bytes INTEGER, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO mem_audit VALUES(1,1000000,'boot','pool=12',12);
INSERT INTO mem_audit VALUES(2,1000000,'boot','pool=12',12);
CREATE TABLE packet(boot INTEGER NOT NULL REFERENCES boot, t_boot INTEGER NOT NULL, from_node INTEGER NOT NULL,
  to_node INTEGER NOT NULL, port INTEGER NOT NULL, size_bytes INTEGER NOT NULL, hop_limit INTEGER NOT NULL,
  hop_start INTEGER NOT NULL, rssi_dbm INTEGER, snr_db REAL, PRIMARY KEY(boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO packet VALUES(1,1000000,5,6,67,40,3,7,-97,5.25);
INSERT INTO packet VALUES(2,1000000,5,6,67,40,3,7,-97,5.25);
CREATE TABLE port(device INTEGER PRIMARY KEY REFERENCES device, path TEXT NOT NULL, by_id TEXT NOT NULL, usb_vendor INTEGER NOT NULL, usb_product INTEGER NOT NULL, usb_serial TEXT NOT NULL, seen_us INTEGER NOT NULL) STRICT;
INSERT INTO port VALUES(1,'/dev/ttyACM0','/dev/serial/by-id/usb-one',12346,4097,'A1',1764000000000000);
INSERT INTO port VALUES(2,'/dev/ttyUSB1','',0,0,'',1764000001000000);
CREATE TABLE sample(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  t_boot INTEGER NOT NULL, value INTEGER NOT NULL, suspect INTEGER NOT NULL,
  PRIMARY KEY(series, boot, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(1,1,1000000,123456,0);
INSERT INTO sample VALUES(2,1,1000000,65536,1);
INSERT INTO sample VALUES(3,2,1000000,123456,0);
INSERT INTO sample VALUES(4,2,1000000,65536,1);
CREATE TABLE series(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  identity INTEGER REFERENCES identity, field INTEGER NOT NULL REFERENCES heap_field,
  source INTEGER NOT NULL REFERENCES source) STRICT;
INSERT INTO series VALUES(1,1,1,1,1);
INSERT INTO series VALUES(2,1,1,2,4);
INSERT INTO series VALUES(3,2,2,1,1);
INSERT INTO series VALUES(4,2,2,2,4);
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO source VALUES(1,'poll');
INSERT INTO source VALUES(2,'stats');
INSERT INTO source VALUES(3,'debug_heap');
INSERT INTO source VALUES(4,'heap_line');
INSERT INTO source VALUES(5,'thread_event');
INSERT INTO source VALUES(6,'alloc_line');
INSERT INTO source VALUES(7,'boot_line');
INSERT INTO source VALUES(8,'import');
CREATE TABLE stream(device INTEGER NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, newest_us INTEGER,
  PRIMARY KEY(device, kind)) STRICT, WITHOUT ROWID;
INSERT INTO stream VALUES(1,'call_sites',1,1764000001000000);
INSERT INTO stream VALUES(1,'events',2,1764000005000000);
INSERT INTO stream VALUES(1,'heap_events',1,1764000001000000);
INSERT INTO stream VALUES(1,'local_without_heap',1,1764000001000000);
INSERT INTO stream VALUES(1,'logs',1,1764000001000000);
INSERT INTO stream VALUES(1,'mem_audits',1,1764000001000000);
INSERT INTO stream VALUES(1,'packets',1,1764000001000000);
INSERT INTO stream VALUES(1,'samples_from_lines',1,1764000001000000);
INSERT INTO stream VALUES(1,'samples_reported',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_air_quality',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_device',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_environment',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_health',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_host',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_local',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_power',1,1764000001000000);
INSERT INTO stream VALUES(1,'telemetry_traffic',1,1764000001000000);
INSERT INTO stream VALUES(2,'call_sites',1,1764000001000000);
INSERT INTO stream VALUES(2,'events',2,1764000005000000);
INSERT INTO stream VALUES(2,'heap_events',1,1764000001000000);
INSERT INTO stream VALUES(2,'local_without_heap',1,1764000001000000);
INSERT INTO stream VALUES(2,'logs',1,1764000001000000);
INSERT INTO stream VALUES(2,'mem_audits',1,1764000001000000);
INSERT INTO stream VALUES(2,'packets',1,1764000001000000);
INSERT INTO stream VALUES(2,'samples_from_lines',1,1764000001000000);
INSERT INTO stream VALUES(2,'samples_reported',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_air_quality',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_device',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_environment',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_health',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_host',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_local',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_power',1,1764000001000000);
INSERT INTO stream VALUES(2,'telemetry_traffic',1,1764000001000000);
CREATE TABLE telemetry_air_quality(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, pm10_standard INTEGER, pm25_standard INTEGER, pm100_standard INTEGER, pm10_environmental INTEGER, pm25_environmental INTEGER, pm100_environmental INTEGER, particles_03um INTEGER, particles_05um INTEGER, particles_10um INTEGER, particles_25um INTEGER, particles_50um INTEGER, particles_100um INTEGER, co2 INTEGER, co2_temperature REAL, co2_humidity REAL, form_formaldehyde REAL, form_humidity REAL, form_temperature REAL, pm40_standard INTEGER, particles_40um INTEGER, pm_temperature REAL, pm_humidity REAL, pm_voc_idx REAL, pm_nox_idx REAL, particles_tps REAL, pm_status_flags INTEGER, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_air_quality VALUES(1,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_air_quality VALUES(2,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_device(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, battery_level INTEGER, voltage REAL, channel_utilization REAL, air_util_tx REAL, uptime_seconds INTEGER, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_device VALUES(1,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_device VALUES(2,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_environment(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, temperature REAL, relative_humidity REAL, barometric_pressure REAL, gas_resistance REAL, voltage REAL, current REAL, iaq INTEGER, distance REAL, lux REAL, white_lux REAL, ir_lux REAL, uv_lux REAL, wind_direction INTEGER, wind_speed REAL, weight REAL, wind_gust REAL, wind_lull REAL, radiation REAL, rainfall_1h REAL, rainfall_24h REAL, soil_moisture INTEGER, soil_temperature REAL, adc_voltage_ch0 REAL, adc_voltage_ch1 REAL, adc_voltage_ch2 REAL, adc_voltage_ch3 REAL, adc_voltage_ch4 REAL, adc_voltage_ch5 REAL, adc_voltage_ch6 REAL, adc_voltage_ch7 REAL, one_wire_temperature_ch0 REAL, one_wire_temperature_ch1 REAL, one_wire_temperature_ch2 REAL, one_wire_temperature_ch3 REAL, one_wire_temperature_ch4 REAL, one_wire_temperature_ch5 REAL, one_wire_temperature_ch6 REAL, one_wire_temperature_ch7 REAL, lightning_strike_count_1h INTEGER, lightning_distance_km REAL, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_environment VALUES(1,0,1000000,2,NULL,41.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_environment VALUES(2,0,1000000,2,NULL,41.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_health(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, heart_bpm INTEGER, spO2 INTEGER, temperature REAL, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_health VALUES(1,0,1000000,2,NULL,41,NULL,NULL);
INSERT INTO telemetry_health VALUES(2,0,1000000,2,NULL,41,NULL,NULL);
CREATE TABLE telemetry_host(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, uptime_seconds INTEGER, freemem_bytes INTEGER, diskfree1_bytes INTEGER, diskfree2_bytes INTEGER, diskfree3_bytes INTEGER, load1 INTEGER, load5 INTEGER, load15 INTEGER, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_host VALUES(1,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_host VALUES(2,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_local(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, uptime_seconds INTEGER, channel_utilization REAL, air_util_tx REAL, num_packets_tx INTEGER, num_packets_rx INTEGER, num_packets_rx_bad INTEGER, num_online_nodes INTEGER, num_total_nodes INTEGER, num_rx_dupe INTEGER, num_tx_relay INTEGER, num_tx_relay_canceled INTEGER, heap_total_bytes INTEGER, heap_free_bytes INTEGER, num_tx_dropped INTEGER, noise_floor INTEGER, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_local VALUES(1,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_local VALUES(2,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_power(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, ch1_voltage REAL, ch1_current REAL, ch2_voltage REAL, ch2_current REAL, ch3_voltage REAL, ch3_current REAL, ch4_voltage REAL, ch4_current REAL, ch5_voltage REAL, ch5_current REAL, ch6_voltage REAL, ch6_current REAL, ch7_voltage REAL, ch7_current REAL, ch8_voltage REAL, ch8_current REAL, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_power VALUES(1,0,1000000,2,NULL,41.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_power VALUES(2,0,1000000,2,NULL,41.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE telemetry_traffic(boot INTEGER NOT NULL REFERENCES boot, other_node INTEGER NOT NULL, t_boot INTEGER NOT NULL, source INTEGER NOT NULL, extra TEXT, packets_inspected INTEGER, position_dedup_drops INTEGER, nodeinfo_cache_hits INTEGER, rate_limit_drops INTEGER, unknown_packet_drops INTEGER, hop_exhausted_packets INTEGER, router_hops_preserved INTEGER, PRIMARY KEY(boot, other_node, t_boot)) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_traffic VALUES(1,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO telemetry_traffic VALUES(2,0,1000000,2,NULL,41,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE verdict(id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device, utc_us INTEGER NOT NULL,
  window_us INTEGER NOT NULL, class TEXT NOT NULL, state TEXT NOT NULL, rules TEXT NOT NULL,
  verdict TEXT NOT NULL) STRICT;
INSERT INTO verdict VALUES(1,1,1764000000000000,3600000000,'slow_leak','confirmed','leakhunt','{}');
INSERT INTO verdict VALUES(2,2,1764000000000000,3600000000,'slow_leak','confirmed','leakhunt','{}');
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO word VALUES(1,'ERROR');
INSERT INTO word VALUES(2,'Router');
INSERT INTO word VALUES(3,'out_of_memory');
INSERT INTO word VALUES(4,'MeshPacket');
INSERT INTO word VALUES(5,'Router::send');
CREATE TABLE rollup_level(id INTEGER PRIMARY KEY, name TEXT NOT NULL, width_us INTEGER NOT NULL) STRICT;
INSERT INTO rollup_level VALUES(1,'minute',60000000);
INSERT INTO rollup_level VALUES(2,'hour',3600000000);
INSERT INTO rollup_level VALUES(3,'day',86400000000);
CREATE TABLE rollup(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  level INTEGER NOT NULL, bucket INTEGER NOT NULL, n INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  min INTEGER NOT NULL, max INTEGER NOT NULL, min_at INTEGER NOT NULL, max_at INTEGER NOT NULL,
  mean_t REAL NOT NULL, mean_v REAL NOT NULL, m2_t REAL NOT NULL, m2_v REAL NOT NULL, c_tv REAL NOT NULL,
  p05 REAL, p80 REAL, PRIMARY KEY(series, boot, level, bucket)) STRICT, WITHOUT ROWID;
INSERT INTO rollup VALUES(1,1,2,0,1,123456,123456,123456,123456,1000000,1000000,1.0,0.0,0.0,0.0,0.0,NULL,NULL);
CREATE TABLE rollup_state(series INTEGER NOT NULL REFERENCES series, boot INTEGER NOT NULL REFERENCES boot,
  cadence_us INTEGER, finest INTEGER NOT NULL, sealed INTEGER NOT NULL, raw_from INTEGER, minutes_from INTEGER,
  PRIMARY KEY(series, boot)) STRICT, WITHOUT ROWID;
INSERT INTO rollup_state VALUES(1,1,NULL,2,3600000000,NULL,NULL);
CREATE TABLE field_hour(boot INTEGER NOT NULL REFERENCES boot, variant INTEGER NOT NULL, hour INTEGER NOT NULL,
  field INTEGER NOT NULL REFERENCES word, n INTEGER NOT NULL, min REAL NOT NULL, max REAL NOT NULL, last REAL NOT NULL,
  PRIMARY KEY(boot, variant, hour, field)) STRICT, WITHOUT ROWID;
INSERT INTO field_hour VALUES(1,1,0,1,1,7.0,7.0,7.0);
CREATE INDEX identity_device ON identity(device);
CREATE INDEX boot_device ON boot(device);
CREATE UNIQUE INDEX series_key ON series(device, ifnull(identity, 0), field, source);
CREATE INDEX log_evidence ON log(boot, t_boot) WHERE flags >= 2;
CREATE INDEX event_utc ON event(device, utc_us);
CREATE INDEX event_boot ON event(boot, t_boot) WHERE boot IS NOT NULL;
CREATE INDEX gap_to ON gap(device, to_us);
CREATE INDEX verdict_utc ON verdict(device, window_us, utc_us);
CREATE VIEW boot_view AS SELECT boot.id AS boot, device.name AS device, identity.node, (SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since LIMIT 1) AS began_us, strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT utc_zero_us FROM anchor WHERE anchor.boot = boot.id ORDER BY since LIMIT 1) / 1000000.0, 'unixepoch') AS began, cause.name AS cause, signs, firmware_version, pio_env, debug_heap FROM boot JOIN device ON device.id = boot.device JOIN cause ON cause.id = boot.cause LEFT JOIN identity ON identity.id = boot.identity;
CREATE VIEW sample_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS source, sample.boot, t_boot, t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot AND since <= t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot AND since <= t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = sample.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, value, suspect FROM sample JOIN series ON series.id = sample.series JOIN device ON device.id = series.device JOIN heap_field ON heap_field.id = series.field JOIN source ON source.id = series.source;
CREATE VIEW log_view AS SELECT device.name AS device, log.boot, log.t_boot, log.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot AND since <= log.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (log.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot AND since <= log.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = log.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, (SELECT word.text FROM word WHERE word.id = level) AS level, (SELECT word.text FROM word WHERE word.id = thread) AS thread, (SELECT word.text FROM word WHERE word.id = alarm) AS alarm, log.text FROM log JOIN boot ON boot.id = log.boot JOIN device ON device.id = boot.device;
CREATE VIEW heap_event_view AS SELECT device.name AS device, heap_event.boot, heap_event.t_boot, heap_event.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = heap_event.boot AND since <= heap_event.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = heap_event.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (heap_event.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = heap_event.boot AND since <= heap_event.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = heap_event.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, (SELECT word.text FROM word WHERE word.id = thread) AS thread, before_bytes, after_bytes, after_bytes - before_bytes AS delta_bytes FROM heap_event JOIN boot ON boot.id = heap_event.boot JOIN device ON device.id = boot.device;
CREATE VIEW call_site_view AS SELECT device.name AS device, call_site.boot, call_site.t_boot, call_site.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = call_site.boot AND since <= call_site.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = call_site.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (call_site.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = call_site.boot AND since <= call_site.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = call_site.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, (SELECT word.text FROM word WHERE word.id = context) AS context, size_bytes FROM call_site JOIN boot ON boot.id = call_site.boot JOIN device ON device.id = boot.device;
CREATE VIEW packet_view AS SELECT device.name AS device, packet.boot, packet.t_boot, packet.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = packet.boot AND since <= packet.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = packet.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (packet.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = packet.boot AND since <= packet.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = packet.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, printf('!%08x', from_node) AS from_node, printf('!%08x', to_node) AS to_node, port, size_bytes, hop_limit, hop_start, rssi_dbm, snr_db FROM packet JOIN boot ON boot.id = packet.boot JOIN device ON device.id = boot.device;
CREATE VIEW rollup_view AS SELECT device.name AS device, heap_field.name AS field, source.name AS source, rollup_level.name AS level, rollup.boot, bucket * width_us AS t_boot, bucket * width_us + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot AND since <= bucket * width_us ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (bucket * width_us + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot AND since <= bucket * width_us ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = rollup.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, n, first, last, min, max, first + mean_v AS mean, 60 * c_tv / nullif(m2_t, 0) AS slope_per_min, p05, p80 FROM rollup JOIN rollup_level ON rollup_level.id = rollup.level JOIN series ON series.id = rollup.series JOIN device ON device.id = series.device JOIN heap_field ON heap_field.id = series.field JOIN source ON source.id = series.source;
CREATE VIEW telemetry_device_view AS SELECT device.name AS device, telemetry_device.boot, telemetry_device.t_boot, telemetry_device.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_device.boot AND since <= telemetry_device.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_device.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_device.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_device.boot AND since <= telemetry_device.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_device.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_device.battery_level, telemetry_device.voltage, telemetry_device.channel_utilization, telemetry_device.air_util_tx, telemetry_device.uptime_seconds, extra FROM telemetry_device JOIN boot ON boot.id = telemetry_device.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_device.source;
CREATE VIEW telemetry_environment_view AS SELECT device.name AS device, telemetry_environment.boot, telemetry_environment.t_boot, telemetry_environment.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_environment.boot AND since <= telemetry_environment.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_environment.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_environment.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_environment.boot AND since <= telemetry_environment.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_environment.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_environment.temperature, telemetry_environment.relative_humidity, telemetry_environment.barometric_pressure, telemetry_environment.gas_resistance, telemetry_environment.voltage, telemetry_environment.current, telemetry_environment.iaq, telemetry_environment.distance, telemetry_environment.lux, telemetry_environment.white_lux, telemetry_environment.ir_lux, telemetry_environment.uv_lux, telemetry_environment.wind_direction, telemetry_environment.wind_speed, telemetry_environment.weight, telemetry_environment.wind_gust, telemetry_environment.wind_lull, telemetry_environment.radiation, telemetry_environment.rainfall_1h, telemetry_environment.rainfall_24h, telemetry_environment.soil_moisture, telemetry_environment.soil_temperature, telemetry_environment.adc_voltage_ch0, telemetry_environment.adc_voltage_ch1, telemetry_environment.adc_voltage_ch2, telemetry_environment.adc_voltage_ch3, telemetry_environment.adc_voltage_ch4, telemetry_environment.adc_voltage_ch5, telemetry_environment.adc_voltage_ch6, telemetry_environment.adc_voltage_ch7, telemetry_environment.one_wire_temperature_ch0, telemetry_environment.one_wire_temperature_ch1, telemetry_environment.one_wire_temperature_ch2, telemetry_environment.one_wire_temperature_ch3, telemetry_environment.one_wire_temperature_ch4, telemetry_environment.one_wire_temperature_ch5, telemetry_environment.one_wire_temperature_ch6, telemetry_environment.one_wire_temperature_ch7, telemetry_environment.lightning_strike_count_1h, telemetry_environment.lightning_distance_km, extra FROM telemetry_environment JOIN boot ON boot.id = telemetry_environment.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_environment.source;
CREATE VIEW telemetry_air_quality_view AS SELECT device.name AS device, telemetry_air_quality.boot, telemetry_air_quality.t_boot, telemetry_air_quality.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_air_quality.boot AND since <= telemetry_air_quality.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_air_quality.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_air_quality.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_air_quality.boot AND since <= telemetry_air_quality.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_air_quality.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_air_quality.pm10_standard, telemetry_air_quality.pm25_standard, telemetry_air_quality.pm100_standard, telemetry_air_quality.pm10_environmental, telemetry_air_quality.pm25_environmental, telemetry_air_quality.pm100_environmental, telemetry_air_quality.particles_03um, telemetry_air_quality.particles_05um, telemetry_air_quality.particles_10um, telemetry_air_quality.particles_25um, telemetry_air_quality.particles_50um, telemetry_air_quality.particles_100um, telemetry_air_quality.co2, telemetry_air_quality.co2_temperature, telemetry_air_quality.co2_humidity, telemetry_air_quality.form_formaldehyde, telemetry_air_quality.form_humidity, telemetry_air_quality.form_temperature, telemetry_air_quality.pm40_standard, telemetry_air_quality.particles_40um, telemetry_air_quality.pm_temperature, telemetry_air_quality.pm_humidity, telemetry_air_quality.pm_voc_idx, telemetry_air_quality.pm_nox_idx, telemetry_air_quality.particles_tps, telemetry_air_quality.pm_status_flags, extra FROM telemetry_air_quality JOIN boot ON boot.id = telemetry_air_quality.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_air_quality.source;
CREATE VIEW telemetry_power_view AS SELECT device.name AS device, telemetry_power.boot, telemetry_power.t_boot, telemetry_power.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_power.boot AND since <= telemetry_power.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_power.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_power.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_power.boot AND since <= telemetry_power.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_power.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_power.ch1_voltage, telemetry_power.ch1_current, telemetry_power.ch2_voltage, telemetry_power.ch2_current, telemetry_power.ch3_voltage, telemetry_power.ch3_current, telemetry_power.ch4_voltage, telemetry_power.ch4_current, telemetry_power.ch5_voltage, telemetry_power.ch5_current, telemetry_power.ch6_voltage, telemetry_power.ch6_current, telemetry_power.ch7_voltage, telemetry_power.ch7_current, telemetry_power.ch8_voltage, telemetry_power.ch8_current, extra FROM telemetry_power JOIN boot ON boot.id = telemetry_power.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_power.source;
CREATE VIEW telemetry_local_view AS SELECT device.name AS device, telemetry_local.boot, telemetry_local.t_boot, telemetry_local.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_local.boot AND since <= telemetry_local.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_local.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_local.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_local.boot AND since <= telemetry_local.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_local.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_local.uptime_seconds, telemetry_local.channel_utilization, telemetry_local.air_util_tx, telemetry_local.num_packets_tx, telemetry_local.num_packets_rx, telemetry_local.num_packets_rx_bad, telemetry_local.num_online_nodes, telemetry_local.num_total_nodes, telemetry_local.num_rx_dupe, telemetry_local.num_tx_relay, telemetry_local.num_tx_relay_canceled, telemetry_local.heap_total_bytes, telemetry_local.heap_free_bytes, telemetry_local.num_tx_dropped, telemetry_local.noise_floor, extra FROM telemetry_local JOIN boot ON boot.id = telemetry_local.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_local.source;
CREATE VIEW telemetry_health_view AS SELECT device.name AS device, telemetry_health.boot, telemetry_health.t_boot, telemetry_health.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_health.boot AND since <= telemetry_health.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_health.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_health.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_health.boot AND since <= telemetry_health.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_health.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_health.heart_bpm, telemetry_health.spO2, telemetry_health.temperature, extra FROM telemetry_health JOIN boot ON boot.id = telemetry_health.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_health.source;
CREATE VIEW telemetry_host_view AS SELECT device.name AS device, telemetry_host.boot, telemetry_host.t_boot, telemetry_host.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_host.boot AND since <= telemetry_host.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_host.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_host.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_host.boot AND since <= telemetry_host.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_host.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_host.uptime_seconds, telemetry_host.freemem_bytes, telemetry_host.diskfree1_bytes, telemetry_host.diskfree2_bytes, telemetry_host.diskfree3_bytes, telemetry_host.load1, telemetry_host.load5, telemetry_host.load15, extra FROM telemetry_host JOIN boot ON boot.id = telemetry_host.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_host.source;
CREATE VIEW telemetry_traffic_view AS SELECT device.name AS device, telemetry_traffic.boot, telemetry_traffic.t_boot, telemetry_traffic.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_traffic.boot AND since <= telemetry_traffic.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_traffic.boot ORDER BY since LIMIT 1)) AS utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', (telemetry_traffic.t_boot + coalesce((SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_traffic.boot AND since <= telemetry_traffic.t_boot ORDER BY since DESC LIMIT 1), (SELECT utc_zero_us FROM anchor WHERE anchor.boot = telemetry_traffic.boot ORDER BY since LIMIT 1))) / 1000000.0, 'unixepoch') AS time, source.name AS source, iif(other_node = 0, NULL, printf('!%08x', other_node)) AS other_node, telemetry_traffic.packets_inspected, telemetry_traffic.position_dedup_drops, telemetry_traffic.nodeinfo_cache_hits, telemetry_traffic.rate_limit_drops, telemetry_traffic.unknown_packet_drops, telemetry_traffic.hop_exhausted_packets, telemetry_traffic.router_hops_preserved, extra FROM telemetry_traffic JOIN boot ON boot.id = telemetry_traffic.boot JOIN device ON device.id = boot.device LEFT JOIN source ON source.id = telemetry_traffic.source;
CREATE VIEW event_view AS SELECT device.name AS device, utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', utc_us / 1000000.0, 'unixepoch') AS time, boot, t_boot, kind, label, note, data FROM event LEFT JOIN device ON device.id = event.device;
CREATE VIEW gap_view AS SELECT device.name AS device, strftime('%Y-%m-%dT%H:%M:%fZ', from_us / 1000000.0, 'unixepoch') AS began, strftime('%Y-%m-%dT%H:%M:%fZ', to_us / 1000000.0, 'unixepoch') AS ended, reason, lines, records FROM gap LEFT JOIN device ON device.id = gap.device;
CREATE VIEW alert_view AS SELECT alert.id, device.name AS device, cause, severity, state, strftime('%Y-%m-%dT%H:%M:%fZ', first_us / 1000000.0, 'unixepoch') AS first, strftime('%Y-%m-%dT%H:%M:%fZ', last_us / 1000000.0, 'unixepoch') AS last, count, text, note FROM alert LEFT JOIN device ON device.id = alert.device;
CREATE VIEW verdict_view AS SELECT device.name AS device, utc_us, strftime('%Y-%m-%dT%H:%M:%fZ', utc_us / 1000000.0, 'unixepoch') AS time, window_us / 1000000 AS window_s, class, state, rules, verdict FROM verdict JOIN device ON device.id = verdict.device;
COMMIT;
PRAGMA application_id = 1282099316;
PRAGMA user_version = 4;
